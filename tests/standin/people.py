"""People who type commands, click and fill in forms. They work while the bot runs in this or another process."""

from __future__ import annotations

from copy import deepcopy
from dataclasses import dataclass
from typing import Any

from discord import Permissions

from tests.discord_limits import walk
from tests.standin.core import Core
from tests.standin.permissions import ALL, in_channel, lacks
from tests.standin.rest_interactions import Act
from tests.standin.state import Interaction, Json, Kind
from tests.standin.views import Place, Result, Shown

GROUP, SUBCOMMAND = 2, 1
TEXT, WHOLE, YES_NO, USER, CHANNEL, ROLE, NUMBER, FILE = 3, 4, 5, 6, 7, 8, 10, 11
ROW, LABEL = 1, 18
IN_A_SERVER, WITH_THE_BOT = 0, 1
LONGEST = 60.0


@dataclass(frozen=True)
class Person:
    """A member of a server."""

    core: Core
    guild_id: str
    id: int
    name: str

    @property
    def mention(self) -> str:
        return f"<@{self.id}>"

    @property
    def data(self) -> Json:
        return self.core.state.member(self.guild_id, self.id)

    # --- Acts: each returns once there is something to see, or there never will be -----------------------------

    async def slash(self, channel: Place, name: str, /, **options: Any) -> Result:
        """AssertionError when this person cannot see such a command, or its options are wrong."""
        return await settled(self.start_slash(channel, name, **options))

    async def autocomplete(
        self, channel: Place, name: str, option: str, typed: str = "", /, **others: Any
    ) -> list[Json]:
        """The choices offered for what is typed in one option."""
        data = self._command(channel, name, {**others, option: typed}, focused=option)
        return (await settled(self._act(Act.AUTOCOMPLETE, channel, data))).choices or []

    async def click(self, message: Shown, custom_id: str) -> Result:
        return await settled(self.start_click(message, custom_id))

    async def submit_modal(self, shown: Result, values: dict[str, str]) -> Result:
        """`values` by the custom_id of the field; the others stay as they were filled in."""
        assert shown.modal is not None, "there is no form to fill in"
        components = [_filled(component, values) for component in shown.modal["components"]]
        data = {"custom_id": shown.modal["custom_id"], "components": components}
        channel = Place(self.core, int(shown.interaction.channel_id))
        return await settled(self._act(Act.MODAL, channel, data, shown.interaction.message))

    # --- Beginning an act without waiting for what comes of it -------------------------------------------------

    def start_slash(self, channel: Place, name: str, /, **options: Any) -> Result:
        return self._act(Act.COMMAND, channel, self._command(channel, name, options))

    def start_click(self, message: Shown, custom_id: str) -> Result:
        """AssertionError when the message shows no such button now."""
        stored = self._look(message)
        button = next((c for c in walk(stored["components"]) if c.get("custom_id") == custom_id), None)
        assert button is not None and not button.get("disabled"), f"no button {custom_id} in {stored['content']!r}"
        data = {"component_type": button["type"], "custom_id": custom_id}
        return self._act(Act.COMPONENT, Place(self.core, message.channel_id), data, stored)

    def _look(self, message: Shown) -> Json:
        for interaction in self.core.state.interactions.values():
            if str(message.id) in interaction.private:
                assert interaction.user_id == str(self.id), "nobody else sees a private answer"
                return interaction.private[str(message.id)]
        return self.core.state.message(message.channel_id, message.id)

    def say(self, channel: Place, content: str) -> Shown:
        return Shown(deepcopy(self.core.post(channel.data, self.data["user"], {"content": content})))

    def _act(self, act: Act, channel: Place, data: Json, message: Json | None = None) -> Result:
        core, place = self.core, channel.data
        here = in_channel(core.state, place, str(self.id))
        assert here.view_channel, f"{self.name} does not see {channel.name}"
        token = f"token{core.state.new_id(core.clock)}"
        id = core.state.new_id(core.clock)
        made = Interaction(id, token, int(act), str(self.id), place["id"], core.clock.now(), message)
        core.state.interactions[token] = core.state.waiting[token] = made
        core.emit("INTERACTION_CREATE", self._payload(made, place, here, data))
        core.changed()
        return Result(core, made)

    def _payload(self, made: Interaction, place: Json, here: Permissions, data: Json) -> Json:
        state = self.core.state
        mine = in_channel(state, place, state.bot["id"])
        payload: Json = {
            "id": made.id, "application_id": state.application_id, "type": made.type, "token": made.token, "version": 1,
            "data": data, "channel_id": place["id"], "channel": place, "locale": "en-US",
            "app_permissions": str(mine.value), "entitlements": [], "authorizing_integration_owners": {},
            "attachment_size_limit": 10 << 20,
        }  # fmt: skip
        if made.message is not None:
            payload["message"] = made.message
        if place["type"] == Kind.DM:
            return payload | {"user": self.data["user"], "context": WITH_THE_BOT}
        member = self.data | {"permissions": str(here.value)}
        return payload | {"member": member, "guild_id": self.guild_id, "guild_locale": "en-US", "context": IN_A_SERVER}

    # --- Typing a command --------------------------------------------------------------------------------------

    def _command(self, channel: Place, name: str, given: dict[str, Any], focused: str | None = None) -> Json:
        first, *rest = name.split()
        root = self._visible(channel, first)
        node, path = root, [root]
        for word in rest:
            node = next((o for o in node.get("options", ()) if o["name"] == word and o["type"] in (1, 2)), None)
            assert node is not None, f"no command /{name}"
            path.append(node)
        options, resolved = self._options(name, node, given, focused)
        for step in reversed(path[1:]):
            options = [{"name": step["name"], "type": step["type"], "options": options}]
        data = {"id": root["id"], "name": root["name"], "type": root["type"], "options": options, "resolved": resolved}
        return data | ({"guild_id": root["guild_id"]} if "guild_id" in root else {})

    def _visible(self, channel: Place, name: str) -> Json:
        commands = [*self.core.state.commands.get(self.guild_id, ()), *self.core.state.commands.get("global", ())]
        root = next((c for c in commands if c["name"] == name), None)
        assert root is not None, f"no command /{name}"
        have = in_channel(self.core.state, channel.data, str(self.id))
        needed = root["default_member_permissions"]
        hidden = needed is not None and not have.administrator and int(needed) & ~have.value
        assert not hidden and not lacks(have, "use_application_commands"), f"{self.name} does not see /{name}"
        return root

    def _options(self, name: str, node: Json, given: dict[str, Any], focused: str | None) -> tuple[list[Json], Json]:
        known = {option["name"]: option for option in node.get("options", ())}
        missing = [k for k, option in known.items() if option.get("required") and k not in given]
        assert focused is not None or not missing, f"/{name} needs {missing}"
        resolved: Json = {}
        options: list[Json] = []
        for key, value in given.items():
            assert key in known, f"/{name} has no option {key}"
            option = {"name": key, "type": known[key]["type"], "value": self._value(known[key], value, resolved)}
            options.append(option | ({"focused": True} if key == focused else {}))
        return options, resolved

    def _value(self, option: Json, value: Any, resolved: Json) -> Any:
        """What the client sends for it; what it points at goes into `resolved`."""
        state = self.core.state
        choices = [choice["value"] for choice in option.get("choices", ())]
        assert not choices or value in choices, f"{value!r} is not among the choices of {option['name']}"
        match option["type"]:
            case n if n == USER:
                member = state.member(self.guild_id, value.id)
                resolved.setdefault("users", {})[str(value.id)] = member["user"]
                part = {k: v for k, v in member.items() if k != "user"} | {"permissions": str(ALL.value)}
                resolved.setdefault("members", {})[str(value.id)] = part
            case n if n == CHANNEL:
                permissions = in_channel(state, value.data, str(self.id)).value
                resolved.setdefault("channels", {})[str(value.id)] = value.data | {"permissions": str(permissions)}
            case n if n == ROLE:
                resolved.setdefault("roles", {})[str(value.id)] = state.role(self.guild_id, value.id)
            case n if n == FILE:
                return self._upload(value, resolved)
            case _:
                return value
        return str(value.id)

    def _upload(self, file: tuple[str, bytes], resolved: Json) -> str:
        name, content = file
        id = self.core.state.new_id(self.core.clock)
        self.core.state.attachments[id] = file
        url = f"http://{self.core.gateway.base}/attachments/{id}/{name}"
        about = {"id": id, "filename": name, "size": len(content), "url": url, "proxy_url": url}
        resolved.setdefault("attachments", {})[id] = about
        return id


async def settled(result: Result) -> Result:
    """Waits until there is something to see. In another process nobody knows whether more follows."""
    await result.core.until(lambda: result.settled, "the bot answers, or its time is over", longest=LONGEST)
    return result


def _filled(component: Json, values: dict[str, str]) -> Json:
    """The form's component as the client sends it back."""
    if component["type"] == LABEL:
        return {"type": LABEL, "id": component.get("id", 0), "component": _filled(component["component"], values)}
    if component["type"] == ROW:
        return {"type": ROW, "components": [_filled(inner, values) for inner in component["components"]]}
    id = component["custom_id"]
    value = values.get(id, component.get("value") or "")
    assert value or not component.get("required", True), f"{id} must be filled in"
    assert len(value) <= component.get("max_length", 4000), f"{id} takes at most {component.get('max_length')}"
    return {"type": component["type"], "custom_id": id, "value": value}
