"""A sample of `make crash`, and that the harness itself would notice what is lost or doubled."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from random import Random

import pytest

from tests.crash.arrived import Picture, compare
from tests.crash.many import random_deaths, undisturbed
from tests.crash.run import lives, run
from tests.crash.scenes import SCENES, prepare


@pytest.mark.parametrize("name", SCENES)
async def test_whenever_the_process_is_killed_nothing_is_lost_or_doubled(name: str, tmp_path: Path) -> None:
    scene = await prepare(name, tmp_path)
    expected = await undisturbed(scene, tmp_path / "undisturbed")
    ran = await run(scene, tmp_path / "killed", random_deaths(Random(name)))
    assert len(ran.killed_at) >= 2
    assert not (difference := compare(expected.picture, ran.picture)), (ran.killed_at, difference)


async def test_a_relay_that_forgets_what_it_tried_is_caught(tmp_path: Path) -> None:
    scene = await prepare("tuesday, forum", tmp_path)
    expected = await undisturbed(scene, tmp_path / "undisturbed")
    ran = await run(scene, tmp_path / "killed", lives("after a thread is opened"), forgetful=True)
    assert ran.killed_at == ("after a thread is opened",)
    assert compare(expected.picture, ran.picture).doubled


def test_what_is_lost_doubled_or_wrong_is_told_apart() -> None:
    said = [("one", ()), ("two", ("user:1",))]
    whole = Picture({"results": said}, (("R1", ("Finished",)),), (("result", 1),), 0)
    assert not compare(whole, whole)
    assert compare(whole, replace(whole, messages={"results": said[:1]})).lost
    assert compare(whole, replace(whole, messages={"results": [*said, said[0]]})).doubled
    assert compare(whole, replace(whole, messages={"results": said[::-1]})).wrong == ("order in results",)
    untagged = compare(whole, replace(whole, threads=(("R1", ()),)))
    assert untagged.lost and untagged.doubled
    assert compare(whole, replace(whole, facts=(("result", 2),))).wrong
    assert compare(whole, replace(whole, owed=1)).wrong == ("1 posts still wait",)
