"""Which calls are siblings of one model response."""

import pytest
from tracker.trees import Sketch, agent, batches, chain, from_file, model, tool, tool_calls, turns

TREES: dict[str, tuple[Sketch, list[tuple[str, int]]]] = {
    "calls between two responses": (
        agent("x", model(), tool("a"), tool("b"), model(), tool("c")),
        [("a", 1), ("b", 1), ("c", 2)],
    ),
    "without model spans, what overlaps": (
        agent(
            "x",
            tool("a", at=(20, 30)),
            tool("b", at=(25, 40)),
            tool("c", at=(38, 50)),
            tool("d", at=(60, 70)),
            at=(10, 90),
        ),
        [("a", 1), ("b", 1), ("c", 1), ("d", 2)],
    ),
    "a call inside its response, as Vercel writes it": (
        agent("x", model(tool("a"), tool("b")), model(tool("c"))),
        [("a", 1), ("b", 1), ("c", 2)],
    ),
    "a call that outlives the next response": (
        agent(
            "x", model(at=(11, 12)), tool("slow", at=(13, 90)), model(at=(20, 30)), tool("b", at=(40, 50)), at=(10, 99)
        ),
        [("b", 2), ("slow", 1)],
    ),
    "a wrapper around a client's span counts once": (
        agent("x", model(model()), tool("a"), model(model(model())), tool("b")),
        [("a", 1), ("b", 2)],
    ),
    "another agent's responses do not count": (
        agent("x", model(), tool("a"), agent("y", model(), model(), tool("z")), tool("b")),
        [("a", 1), ("z", 2), ("b", 1)],
    ),
}


@pytest.mark.parametrize("name", TREES)
def test_siblings_share_a_batch(name: str) -> None:
    """Calls of one response have one number, later ones a higher one."""
    tree, expected = TREES[name]
    assert batches(from_file(tree)) == expected


def test_a_response_is_a_turn_of_its_run() -> None:
    """Model turns are told in the run whose agent asked; chains between do not matter."""
    tree = agent("x", chain("turn", model()), agent("y", model()), model())
    assert turns(from_file(tree)) == ["", "/y", ""]


def test_tokens_are_charged_to_the_first_call_of_a_response() -> None:
    """The sum over all calls is what the model spent."""
    tree = agent("x", model(tokens=50), tool("a"), tool("b"), model(tokens=70), tool("c"))
    assert [call.tokens for call in tool_calls(from_file(tree))] == [50, 0, 70]


def test_a_response_told_by_two_instrumentations_is_one_turn() -> None:
    """A native client's span in another tree, at the same time and with as many tokens, is the same response."""
    one = agent("x", model(tokens=120, at=(20, 100)), at=(10, 200))
    other = model(tokens=120, at=(22, 98), scope="native", asks=[("c", "find", None)])
    assert turns(from_file(chain("request", one, other, at=(1, 300)))) == [""]
