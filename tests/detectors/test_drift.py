from __future__ import annotations

import pytest
from engine.story import Row, call, check, fine, loop, name, stops, times, together, warns

from otel_loopwatch.detectors.drift import CANNED
from otel_loopwatch.detectors.grading import Extra
from otel_loopwatch.model import Kind
from otel_loopwatch.settings import Settings, Threshold, ToolPolicy

DRIFT = Kind.DRIFT
FIRST, LAST = warns(DRIFT), stops(DRIFT)
LITTLE = warns(DRIFT, Extra(1, None))
"""An empty or short answer needs one more."""
NOTHING = "No results found."
HOURS = (
    "The shop is open from nine to five, the workshop from eight to four, and both are closed on Sundays. Whoever "
    "brings a lamp may wait for it in the hall."
)
BEING_BUILT = "Three chapters of the guide speak of returns, and a fourth one may do so; indexing it is running"
GUIDE = "Returns are accepted within a month, see chapter four of the guide."

REWORDED = [
    "lamp warranty terms",
    "warranty for broken lamp",
    "broken lamp replacement terms",
    "replacement of a lamp under warranty",
    "terms for broken items",
    "lamp replacement warranty",
    "broken items warranty",
    "replacement terms for broken lamps",
    "warranty replacement items",
    "items broken lamp terms",
    "lamp replacement for broken items",
    "warranty terms replacement",
]
JAPANESE = (
    "返品の条件と期間 返品条件と保証期間 保証の期間と条件 返品期間の保証条件 期間と条件の保証 保証条件と返品期間 "
    "返品保証の期間条件 条件の期間と保証 保証と返品の条件期間".split()
)
GERMAN = [
    "Garantie für die Lampe",
    "Lampe defekt, gilt die Garantie",
    "gilt die Garantie für eine Lampe",
    "defekte Lampe, Garantie",
    "Garantie gilt für defekte Lampe",
    "Lampe mit Garantie, aber defekt",
    "Garantie auf die Lampe",
]
CITIES = "Oslo Lima Bern Kyiv Riga Rome Doha Cork Bonn Graz Nice Pisa".split()
PEOPLE = "ann bob carla dmitri eve farid gina hugo ines jan kim lea".split()

OWN = Threshold(FIRST - 1, LAST - 4)

OTHER = call("search_docs", {"query": "lamps"}, "Lamps are sold beside the gate")
"""Another answer: the tool does not say the same to everything."""

LOOPS = [
    loop(
        "a search is reworded and finds nothing",
        [call("search", {"q": q}, NOTHING) for q in REWORDED],
        at=(LITTLE, DRIFT),
    ),
    loop(
        "a search is reworded and finds the same passage",
        OTHER,
        [call("search_docs", {"query": q}, GUIDE) for q in REWORDED],
        at=(1 + FIRST, DRIFT),
        critical=1 + LAST,
    ),
    loop(
        "a search gives an empty list to every wording",
        [call("vector_search", {"text": q, "k": 5}, []) for q in REWORDED],
        at=(LITTLE, DRIFT),
    ),
    loop(
        "a search is reworded in Japanese",
        [call("search", {"q": q}, NOTHING) for q in JAPANESE],
        at=(LITTLE, DRIFT),
    ),
    *(
        loop(
            f"a search is reworded in {language} and finds the same passage",
            call("suche", {"worte": "Anfang"}, "Am Anfang war das Licht, und das Licht ging aus"),
            [call("suche", {"worte": q}, passage) for q in wordings],
            at=(1 + FIRST, DRIFT),
        )
        for language, wordings, passage in (
            ("German", GERMAN, "Die Garantie beträgt zwei Jahre ab dem Tag des Kaufs"),
            ("Japanese", JAPANESE, "返品は購入日から三十日以内に限り受け付けています。詳しくは第四章をご覧ください"),
        )
    ),
    loop(
        "a tool was never seen to give other data",
        [call("search_parts", {"query": q}, {"parts": [{"sku": "lamp", "left": 4}]}) for q in REWORDED],
        at=(FIRST, DRIFT),
        critical=stops(DRIFT, Extra(0, CANNED)),
    ),
    loop(
        "a tool was never seen to say anything else",
        [call("search_docs", {"query": q}, GUIDE) for q in REWORDED],
        at=(FIRST, DRIFT),
    ),
    loop(
        "long answers differ in a score",
        OTHER,
        [call("search_docs", {"query": q}, f"{GUIDE} {HOURS} Score: 0.{n + 11}") for n, q in enumerate(REWORDED)],
        at=(1 + LITTLE, DRIFT),
    ),
    loop(
        "short answers of data come back",
        OTHER,
        [call("search_docs", {"query": q}, "guide/ch4.md") for q in REWORDED],
        at=(1 + LITTLE, DRIFT),
    ),
    loop(
        "an answer tells that the index is still being built",
        OTHER,
        [call("search_docs", {"query": q}, BEING_BUILT) for q in REWORDED],
        at=(1 + FIRST, DRIFT),
        critical=1 + LAST,
    ),
    *(
        loop(
            f"every {part} is the same one",
            [call("read_results", {"doc": "terms", part: n}, GUIDE) for n in range(1, 15)],
            at=(FIRST, DRIFT),
        )
        for part in ("page", "cursor", "offset")
    ),
    loop(
        "a call is spelled in other case and spacing",
        times(
            6,
            call("search", {"q": "Refund Policy"}, GUIDE),
            call("search", {"q": "refund  policy"}, GUIDE),
        ),
        at=(warns(Kind.IDENTICAL), DRIFT),
        critical=stops(Kind.IDENTICAL),
    ),
    loop(
        "only the reason given for a call changes",
        [call("read_page", {"url": "/faq", "reason": f"attempt {q}"}, GUIDE) for q in REWORDED],
        at=(warns(Kind.IDENTICAL), DRIFT),
        critical=stops(Kind.IDENTICAL),
    ),
    loop(
        "other tools are asked between the wordings",
        [
            [call("search_docs", {"query": q}, GUIDE), call("web_fetch", {"url": f"/{n}"}, f"Page {n}x about knots")]
            for n, q in enumerate(REWORDED)
        ],
        at=(2 * LITTLE - 1, DRIFT),
    ),
    loop(
        "a tool has tighter limits of its own",
        call("search", {"q": "lamps"}, "Lamps are sold beside the gate"),
        [call("search", {"q": q}, GUIDE) for q in REWORDED],
        at=(1 + OWN.warning, DRIFT),
        critical=1 + OWN.critical,
        settings=Settings(tools=(("search", ToolPolicy(thresholds={DRIFT: OWN})),)),
    ),
    loop(
        "the answer differs only in how long it took",
        OTHER,
        [call("search_docs", {"query": q}, f"{GUIDE} ({n + 11} ms)") for n, q in enumerate(REWORDED)],
        at=(1 + FIRST, DRIFT),
        critical=1 + LAST,
    ),
]

FINE = [
    fine(
        "look-ups of many keys all give one text that says something",
        [call("kb_lookup", {"topic": city}, GUIDE) for city in CITIES],
    ),
    fine(
        "every page is empty",
        [call("read_results", {"doc": "terms", "page": n}, []) for n in range(1, 15)],
    ),
    fine(
        "every page has the same few words",
        [call("read_results", {"doc": "terms", "page": n}, "guide/ch4.md") for n in range(1, 15)],
    ),
    fine(
        "a few pages are the same one",
        [call("read_results", {"doc": "terms", "page": n}, GUIDE) for n in range(1, FIRST)],
    ),
    fine(
        "rewordings are acknowledged",
        [call("ask_expert", {"question": q}, "received") for q in REWORDED],
    ),
    fine(
        "rewordings wait in a queue",
        [call("ask_expert", {"question": q}, "still in progress") for q in REWORDED],
    ),
    fine(
        "short answers differ in a number",
        [
            call("count_hits", {"query": q}, f"{n + 11} hits in the guide, most of them old")
            for n, q in enumerate(REWORDED)
        ],
    ),
    fine(
        "look-ups in German keep a template and change one word",
        [call("suche", {"worte": f"Wetter für morgen in {city}"}, "Keine Warnung, es bleibt ruhig") for city in CITIES],
    ),
    fine(
        "names in Japanese are looked up",
        [
            call("suche", {"worte": name}, "該当する記録はありません。別の名前でお試しください")
            for name in "佐藤 鈴木 高橋 田中 伊藤 渡辺 山本 中村".split()
        ],
    ),
    fine(
        "work is handed over in ever new words",
        [call("transfer_to_desk", {"text": q}, "The desk takes over from here, thank you") for q in REWORDED],
    ),
    fine(
        "a moving number that is no page gives the same answer",
        [call("zone_of", {"metres": 300 * n}, GUIDE) for n in range(1, 15)],
    ),
    fine(
        "independent look-ups are all empty",
        [call("find_customer", {"name": person}, []) for person in PEOPLE],
    ),
    fine(
        "look-ups of addresses at one company are all empty",
        [call("find_mail", {"from": f"{person}@lamps.example"}, NOTHING) for person in PEOPLE],
    ),
    fine(
        "look-ups keep a template and change one word",
        [call("search", {"q": f"weather warnings today in {city}"}, NOTHING) for city in CITIES],
    ),
    fine(
        "one pattern is looked for in many folders",
        [call("grep", {"pattern": "TODO", "path": f"src/{person}"}, "") for person in PEOPLE],
    ),
    fine(
        "a reworded search finds something else each time",
        [
            call("search", {"q": q}, f"Hit: the shop in {city} tells of {q}")
            for q, city in zip(REWORDED, CITIES, strict=True)
        ],
    ),
    fine(
        "a few wordings before giving up",
        [call("search", {"q": q}, NOTHING) for q in REWORDED[: LITTLE - 1]],
    ),
    fine(
        "many records are written with equal acks",
        [call("update_record", {"id": n, "state": "paid"}, "updated") for n in range(20)],
    ),
    fine(
        "many keys are warmed with equal acks",
        [call("warm", {"key": f"k{n}"}, {"ok": True}) for n in range(20)],
    ),
    fine(
        "many letters are written with an equal long confirmation",
        [call("send_letter", {"to": person}, "The letter has been handed to the post today") for person in PEOPLE],
    ),
    fine(
        "plans are noted with an equal long confirmation",
        [call("todo_list", {"items": [q]}, "Todos have been changed, go on with the work") for q in REWORDED],
    ),
    fine(
        "a writing tool that is told to be one",
        [call("ingest", {"row": q}, "Row taken over into the warehouse, next please") for q in REWORDED],
        settings=Settings(tools=(("ingest", ToolPolicy(side_effect=True)),)),
    ),
    fine(
        "many hosts are checked and all give the same number",
        [call("exit_code", {"host": person}, "0") for person in PEOPLE],
    ),
    fine(
        "siblings of one response are one try",
        together(1, [call("search", {"q": q}, NOTHING) for q in REWORDED]),
    ),
    fine(
        "each user turn asks anew",
        [call("search", {"q": q}, NOTHING, user_turn=n) for n, q in enumerate(REWORDED)],
    ),
    fine(
        "a change of the world between the wordings",
        [
            [call("search_docs", {"query": q}, GUIDE), call("edit_index", {"word": q}, "Index has been rebuilt anew")]
            for q in REWORDED
        ],
    ),
    fine(
        "answers were not captured",
        [call("search", {"q": q}) for q in REWORDED],
    ),
]

ROWS = [*LOOPS, *FINE]


@pytest.mark.parametrize("row", ROWS, ids=name)
def test_drift(row: Row) -> None:
    """One question in ever new words is signalled; many questions that share an answer are not."""
    check(row)
