"""Answers to interactions (https://discord.com/developers/docs/interactions/receiving-and-responding)."""

from __future__ import annotations

from enum import IntEnum

from tests.standin.core import Core, attach
from tests.standin.errors import ApiError
from tests.standin.payloads import new_message
from tests.standin.pings import mentions
from tests.standin.routes import Call, route
from tests.standin.state import EPHEMERAL, LOADING, TOKEN_LIVES, Interaction, Json


class Act(IntEnum):
    """Interaction types."""

    COMMAND = 2
    COMPONENT = 3
    AUTOCOMPLETE = 4
    MODAL = 5


class Callback(IntEnum):
    MESSAGE = 4
    DEFERRED_MESSAGE = 5
    DEFERRED_UPDATE = 6
    UPDATE = 7
    CHOICES = 8
    MODAL = 9


ALLOWED = {
    Act.COMMAND: {Callback.MESSAGE, Callback.DEFERRED_MESSAGE, Callback.MODAL},
    Act.COMPONENT: set(Callback) - {Callback.CHOICES},
    Act.AUTOCOMPLETE: {Callback.CHOICES},
    Act.MODAL: set(Callback) - {Callback.CHOICES, Callback.MODAL},
}


@route("POST", "/interactions/{interaction}/{token}/callback")
def answer(core: Core, call: Call) -> Json:
    """ApiError 10062 when it comes too late, 40060 when there was an answer already."""
    interaction = core.interaction(call.ids[1], 10062)
    if interaction.id != call.ids[0] or interaction.failed:
        raise ApiError(10062)
    if interaction.callback is not None:
        raise ApiError(40060)
    kind = Callback(call.body["type"])
    if kind not in ALLOWED[Act(interaction.type)]:
        raise ApiError(50035, [f"type: {kind} is no answer to an interaction of type {interaction.type}"])
    shown = _show(core, interaction, kind, call.body.get("data") or {})
    interaction.callback = int(kind)
    del core.state.waiting[interaction.token]
    about = {"id": interaction.id, "type": interaction.type, "activity_instance_id": None}
    if shown is None:
        return {"interaction": about}
    about |= {"response_message_id": shown["id"], "response_message_loading": bool(shown["flags"] & LOADING)}
    about["response_message_ephemeral"] = bool(shown["flags"] & EPHEMERAL)
    return {"interaction": about, "resource": {"type": int(kind), "message": shown}}


def _show(core: Core, interaction: Interaction, kind: Callback, data: Json) -> Json | None:
    """What the person sees: the message that this answer shows or changes, if any."""
    if kind is Callback.MODAL:
        interaction.modal = data
        return None
    if kind is Callback.CHOICES:
        interaction.choices = data["choices"]
        return None
    if kind in (Callback.UPDATE, Callback.DEFERRED_UPDATE):
        if interaction.message is None:
            raise ApiError(50035, ["type: there is no message to update"])
        interaction.original_id = interaction.message["id"]
        return core.rewrite(_stored(core, interaction, "@original"), data) if kind is Callback.UPDATE else None
    if kind is Callback.DEFERRED_MESSAGE:
        data = {"flags": data.get("flags", 0) | LOADING, "content": ""}
    message = _new(core, interaction, data)
    interaction.original_id = message["id"]
    return message


def _new(core: Core, interaction: Interaction, data: Json) -> Json:
    """A message that only the person sees is kept with the interaction; any other one is in the channel."""
    channel = core.state.channel(interaction.channel_id)
    flags = data.get("flags") or 0
    if not flags & (EPHEMERAL | LOADING):
        return core.post(channel, core.state.bot, data)
    message = new_message(core.state, core.clock, channel, core.state.bot, data)
    attach(core.state, message, data)
    if not flags & LOADING and not any(message[p] for p in ("content", "embeds", "components", "attachments")):
        raise ApiError(50006)
    message |= mentions(core.state, message["content"])
    interaction.private[message["id"]] = message
    return message


@route("POST", "/webhooks/{application}/{token}")
def follow_up(core: Core, call: Call) -> Json:
    """The first one after a deferred answer takes its place, as private as that was."""
    interaction = _open(core, call.ids[1])
    original = interaction.private.get(interaction.original_id or "")
    if original is not None and original["flags"] & LOADING:
        return _settle(core, interaction, original, call.body)
    message = _new(core, interaction, call.body)
    interaction.followup_ids.append(message["id"])
    return message


def _open(core: Core, token: str) -> Interaction:
    interaction = core.interaction(token, 10015)
    if core.clock.now() > interaction.at + TOKEN_LIVES:
        raise ApiError(50027)
    if interaction.callback is None:
        raise ApiError(10015)
    return interaction


def _settle(core: Core, interaction: Interaction, loading: Json, body: Json) -> Json:
    """The deferred answer becomes what it is to be."""
    private = loading["flags"] & EPHEMERAL
    if private:
        loading["flags"] = EPHEMERAL
        try:
            return core.rewrite(loading, body)
        except ApiError:
            loading["flags"] = EPHEMERAL | LOADING
            raise
    channel = core.state.channel(interaction.channel_id)
    message = core.post(channel, core.state.bot, body, id=loading["id"])
    del interaction.private[loading["id"]]
    return message


def _stored(core: Core, interaction: Interaction, message_id: str) -> Json:
    """Only what this interaction has shown, and the message that was clicked. ApiError 10008 for any other."""
    if message_id == "@original":
        message_id = interaction.original_id or ""
    if message_id in interaction.private:
        return interaction.private[message_id]
    clicked = interaction.message
    if clicked is not None and clicked["id"] == message_id and clicked["flags"] & EPHEMERAL:
        return clicked
    if message_id not in (interaction.original_id, *interaction.followup_ids):
        raise ApiError(10008)
    return core.state.message(interaction.channel_id, message_id)


@route("GET", "/webhooks/{application}/{token}/messages/{message}")
def get(core: Core, call: Call) -> Json:
    return _stored(core, _open(core, call.ids[1]), call.ids[2])


@route("PATCH", "/webhooks/{application}/{token}/messages/{message}")
def edit(core: Core, call: Call) -> Json:
    interaction = _open(core, call.ids[1])
    message = _stored(core, interaction, call.ids[2])
    if message["flags"] & LOADING:
        return _settle(core, interaction, message, call.body)
    return core.rewrite(message, call.body)


@route("DELETE", "/webhooks/{application}/{token}/messages/{message}")
def delete(core: Core, call: Call) -> None:
    interaction = _open(core, call.ids[1])
    message = _stored(core, interaction, call.ids[2])
    if interaction.private.pop(message["id"], None) is None:
        core.remove(message)
