"""Acknowledgements, empty answers, "not yet" and short failures in other words."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from typing import Any, NamedTuple

from otel_loopwatch.canonical import decode

from .case import Entry
from .mutation import Mutation, Rewrite, each, said

SHORT = 90
"""Longer texts are left as they are."""


class Words(NamedTuple):
    """One expression in each language, and in other English words: a few, and a sentence."""

    german: str
    chinese: str
    japanese: str
    english: str
    sentence: str


HANDLED = "That has been taken care of and nothing else is left to do"
NONE_THERE = "We looked everywhere and came back without anything at all"
LATER = "Our people are on it and will have it for you in a little while"

WHOLE: dict[str, Words] = {
    "": Words("leer", "空", "空", "blank", NONE_THERE),
    "[]": Words("keine", "无", "なし", "zip", NONE_THERE),
    "0": Words("0", "0", "0", "0", "0"),
}
"""Answers that are no words; only where they are the whole answer."""

EXPRESSIONS: dict[str, Words] = {
    # done
    "ok": Words("erledigt", "好的", "了解", "roger", HANDLED),
    "okay": Words("in Ordnung", "可以", "承知", "righto", f"{HANDLED}, okay"),
    "done": Words("fertig", "完成", "完了", "all set", f"All set: {HANDLED}"),
    "success": Words("gelungen", "成功", "成功しました", "went through", f"It went through: {HANDLED}"),
    "saved": Words("gespeichert", "已保存", "保存済み", "put away", f"Put away: {HANDLED}"),
    "sent": Words("verschickt", "已发送", "送信済み", "on its way", f"On its way: {HANDLED}"),
    "updated": Words("aktualisiert", "已更新", "更新済み", "brought up to date", f"Up to date: {HANDLED}"),
    "created": Words("angelegt", "已创建", "作成済み", "set up", f"Set up: {HANDLED}"),
    "deleted": Words("gelöscht", "已删除", "削除済み", "gone", f"Gone: {HANDLED}"),
    "removed": Words("entfernt", "已移除", "除去済み", "taken out", f"Taken out: {HANDLED}"),
    "added": Words("hinzugefügt", "已添加", "追加済み", "put in", f"Put in: {HANDLED}"),
    "written": Words("geschrieben", "已写入", "書き込み済み", "put down", f"Put down: {HANDLED}"),
    "applied": Words("übernommen", "已应用", "適用済み", "put into effect", f"Put into effect: {HANDLED}"),
    "processed": Words("bearbeitet", "已处理", "処理済み", "dealt with", f"Dealt with: {HANDLED}"),
    "recorded": Words("vermerkt", "已记录", "記録済み", "put on file", f"Put on file: {HANDLED}"),
    "accepted": Words("angenommen", "已接受", "受付済み", "taken in", f"Taken in: {HANDLED}"),
    "delivered": Words("zugestellt", "已送达", "配達済み", "dropped off", f"Dropped off: {HANDLED}"),
    "completed": Words("abgeschlossen", "已结束", "終了済み", "wrapped up", f"Wrapped up: {HANDLED}"),
    "finished": Words("beendet", "已做完", "終わりました", "over and out", f"Over and out: {HANDLED}"),
    "handed over": Words("übergeben", "已移交", "引き渡し済み", "passed along", f"Passed along: {HANDLED}"),
    "1 change": Words("1 Änderung", "1 处更改", "変更1件", "1 edit made", f"1 edit: {HANDLED}"),
    # nothing there
    "no results found": Words("keine Treffer", "未找到结果", "該当なし", "came up blank", NONE_THERE),
    "no results": Words("ohne Ergebnis", "没有结果", "結果なし", "zilch", f"{NONE_THERE} so far"),
    "no matches found": Words("nichts gefunden", "没有匹配项", "一致なし", "turned up nil", f"{NONE_THERE} like it"),
    "no matches": Words("nichts Passendes", "无匹配", "一致せず", "nil", f"{NONE_THERE} that fits"),
    "no new output": Words("keine neue Ausgabe", "没有新输出", "新しい出力なし", "all quiet", f"{NONE_THERE} to show"),
    "nothing found": Words("nichts da", "什么也没找到", "見つかりません", "drew a blank", f"{NONE_THERE} here"),
    "is empty": Words("hat nichts", "是空的", "は空です", "has zip in it", f"is a bare place. {NONE_THERE}"),
    # not yet
    "still running": Words("läuft noch", "仍在运行", "まだ実行中", "chugging along", f"{LATER}, it still goes on"),
    "still in progress": Words("noch in Arbeit", "仍在进行", "まだ処理中です", "getting there", f"{LATER}, bit by bit"),
    "running": Words("läuft", "运行中", "実行中", "under way", LATER),
    "pending": Words("steht aus", "待处理", "保留中", "up in the air", f"{LATER}, it has its place"),
    "queued": Words("in der Schlange", "排队中", "順番待ち", "lined up", f"{LATER}, it stands in line"),
    "in progress": Words("in Arbeit", "进行中", "処理中", "on the bench", f"{LATER}, it is on the bench"),
    "processing": Words("in Bearbeitung", "处理中", "処理しています", "being worked on", f"{LATER}, at the desk"),
    # failures
    "permission denied": Words("Zugriff verweigert", "权限不足", "権限がありません", "you may not", "you may not"),
    "too many requests": Words("Zu viele Anfragen", "请求过多", "リクエストが多すぎます", "slow down", "slow down"),
    "rate limited": Words("gedrosselt", "已限流", "制限中", "slow down please", "slow down please"),
    "service unavailable": Words("Dienst nicht da", "服务不可用", "利用できません", "out to lunch", "out to lunch"),
    "no such file or directory": Words("Datei fehlt", "没有那个文件", "ファイルなし", "where is it", "where is it"),
    "not found": Words("nicht gefunden", "找不到", "見当たりません", "nowhere to be seen", "nowhere to be seen"),
    "timed out": Words("Zeit abgelaufen", "超时", "時間切れ", "took too long", "took too long"),
    "validation failed": Words(
        "Prüfung gescheitert", "验证失败", "検証に失敗", "did not check out", "did not check out"
    ),
    "missing": Words("fehlt", "缺少", "不足", "left out", "left out"),
    "required": Words("nötig", "必需的", "必須", "a must", "a must"),
    "expected": Words("erwartet", "应为", "想定", "looked for", "looked for"),
    "no such": Words("kein solches", "没有这样的", "存在しない", "who or what is the", "who or what is the"),
    "must not be": Words("darf nicht sein", "不能是", "不可:", "cannot possibly be", "cannot possibly be"),
    "failed": Words("gescheitert", "失败", "失敗", "did not work out", "did not work out"),
}
"""Longest first, wherever they stand in a short text; what else the text says stays."""

_EXPRESSION = re.compile(
    rf"(?<![\w-])(?:{'|'.join(sorted(map(re.escape, EXPRESSIONS), key=len, reverse=True))})(?![\w-])", re.I
)


def translated(language: int) -> Rewrite:
    """A rewriting into one of the languages, by its place in `Words`."""

    def translate(text: str) -> str:
        if len(text) > SHORT:
            return text
        if (whole := WHOLE.get(text)) is not None:
            return whole[language]
        value = decode(text)
        if isinstance(value, (Mapping, list)):
            return json.dumps(_leaves(value), ensure_ascii=False)
        return _EXPRESSION.sub(lambda match: EXPRESSIONS[match.group().lower()][language], text)

    def _leaves(value: Any) -> Any:
        if isinstance(value, Mapping):
            return {key: _leaves(item) for key, item in value.items()}
        if isinstance(value, list):
            return [_leaves(item) for item in value]
        return translate(value) if isinstance(value, str) and value else value

    def change(entry: Entry, _: int) -> Entry:
        return said(entry, translate)

    return each(change)


MUTATIONS = [
    Mutation("short answers: German", translated(0)),
    Mutation("short answers: Chinese", translated(1)),
    Mutation("short answers: Japanese", translated(2)),
    Mutation("short answers: other English words", translated(3)),
    Mutation("short answers: English sentences", translated(4)),
]
