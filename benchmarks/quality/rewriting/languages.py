"""Acknowledgements, empty answers, "not yet" and short failures in other languages, and in other English words."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from enum import IntEnum
from typing import Any

from otel_loopwatch.canonical import decode

from .case import Entry
from .mutation import Mutation, Rewrite, each, said

SHORT = 90
"""Longer texts are left as they are."""


class Language(IntEnum):
    """Place of a translation in a row of the tables."""

    GERMAN = 0
    CHINESE = 1
    JAPANESE = 2
    WORDS = 3
    """Other English words."""
    SENTENCES = 4
    """Whole English sentences."""


HANDLED = "that has been taken care of and nothing else is left to do"
NONE_THERE = "we looked everywhere and came back without anything at all"

WHOLE: dict[str, tuple[str, ...]] = {
    "": ("leer", "空", "空", "blank", NONE_THERE),
    "[]": ("keine", "无", "なし", "zip", NONE_THERE),
}
"""Answers that are no words; only where they are the whole answer."""

EXPRESSIONS: dict[str, tuple[str, ...]] = {
    # done
    "ok": ("erledigt", "好的", "了解", "roger", HANDLED),
    "okay": ("in Ordnung", "可以", "承知", "righto", f"righto, {HANDLED}"),
    "done": ("fertig", "完成", "完了", "all set", f"all set, {HANDLED}"),
    "success": ("gelungen", "成功", "成功しました", "went through", f"it went through, {HANDLED}"),
    "saved": ("gespeichert", "已保存", "保存済み", "put away", f"put away, {HANDLED}"),
    "sent": ("verschickt", "已发送", "送信済み", "on its way", f"on its way, {HANDLED}"),
    "updated": ("aktualisiert", "已更新", "更新済み", "brought up to date", f"up to date, {HANDLED}"),
    "created": ("angelegt", "已创建", "作成済み", "set up", f"set up, {HANDLED}"),
    "deleted": ("gelöscht", "已删除", "削除済み", "gone", f"gone, {HANDLED}"),
    "removed": ("entfernt", "已移除", "除去済み", "taken out", f"taken out, {HANDLED}"),
    "added": ("hinzugefügt", "已添加", "追加済み", "put in", f"put in, {HANDLED}"),
    "written": ("geschrieben", "已写入", "書き込み済み", "put down", f"put down, {HANDLED}"),
    "applied": ("übernommen", "已应用", "適用済み", "put into effect", f"put into effect, {HANDLED}"),
    "processed": ("bearbeitet", "已处理", "処理済み", "dealt with", f"dealt with, {HANDLED}"),
    "recorded": ("vermerkt", "已记录", "記録済み", "put on file", f"put on file, {HANDLED}"),
    "accepted": ("angenommen", "已接受", "受付済み", "taken in", f"taken in, {HANDLED}"),
    "delivered": ("zugestellt", "已送达", "配達済み", "dropped off", f"dropped off, {HANDLED}"),
    "completed": ("abgeschlossen", "已结束", "終了済み", "wrapped up", f"wrapped up, {HANDLED}"),
    "finished": ("beendet", "已做完", "終わりました", "over and out", f"over and out, {HANDLED}"),
    "handed over": ("übergeben", "已移交", "引き渡し済み", "passed along", f"passed along, {HANDLED}"),
    "1 change": ("1 Änderung", "1 处更改", "変更1件", "1 edit made", f"1 edit made, {HANDLED}"),
    # nothing there
    "no results found": ("keine Treffer", "未找到结果", "該当なし", "came up blank", f"sorry, {NONE_THERE}"),
    "no results": ("ohne Ergebnis", "没有结果", "結果なし", "zilch", f"alas, {NONE_THERE}"),
    "no matches found": ("nichts gefunden", "没有匹配项", "一致なし", "turned up nil", f"well, {NONE_THERE}"),
    "no matches": ("nichts Passendes", "无匹配", "一致せず", "nil", f"this time {NONE_THERE}"),
    "no new output": ("keine neue Ausgabe", "没有新输出", "新しい出力なし", "all quiet", f"as of now {NONE_THERE}"),
    "nothing found": ("nichts da", "什么也没找到", "見つかりません", "drew a blank", f"in the end {NONE_THERE}"),
    "is empty": ("hat nichts", "是空的", "は空です", "has zip in it", f"is bare, {NONE_THERE}"),
    # not yet
    "still running": ("läuft noch", "仍在运行", "まだ実行中"),
    "still in progress": ("noch in Arbeit", "仍在进行", "まだ処理中です"),
    "running": ("läuft", "运行中", "実行中"),
    "pending": ("steht aus", "待处理", "保留中"),
    "queued": ("in der Schlange", "排队中", "順番待ち"),
    "in progress": ("in Arbeit", "进行中", "処理中"),
    "processing": ("in Bearbeitung", "处理中", "処理しています"),
    # failures
    "permission denied": ("Zugriff verweigert", "权限不足", "権限がありません"),
    "too many requests": ("Zu viele Anfragen", "请求过多", "リクエストが多すぎます"),
    "rate limited": ("gedrosselt", "已限流", "制限中"),
    "service unavailable": ("Dienst nicht erreichbar", "服务不可用", "利用できません"),
    "no such file or directory": ("Datei fehlt", "没有那个文件", "ファイルなし"),
    "not found": ("nicht gefunden", "找不到", "見当たりません"),
    "timed out": ("Zeit abgelaufen", "超时", "時間切れ"),
    "validation failed": ("Prüfung gescheitert", "验证失败", "検証に失敗"),
    "missing": ("fehlt", "缺少", "不足"),
    "required": ("nötig", "必需的", "必須"),
    "expected": ("erwartet", "应为", "想定"),
    "no such": ("kein solches", "没有这样的", "存在しない"),
    "must not be": ("darf nicht sein", "不能是", "不可:"),
    "failed": ("gescheitert", "失败", "失敗"),
}
"""What stands anywhere in a short text; what else the text says stays. Rows of three have no other English words."""

_LONGEST_FIRST = sorted(map(re.escape, EXPRESSIONS), key=len, reverse=True)
_EXPRESSION = re.compile(rf"(?<![\w-])(?:{'|'.join(_LONGEST_FIRST)})(?![\w-])", re.I)


def translated(language: Language) -> Rewrite:
    """A rewriting of short answers into a language."""

    def expression(match: re.Match[str]) -> str:
        row = EXPRESSIONS[match.group().lower()]
        return row[language] if language < len(row) else match.group()

    def text(answer: str) -> str:
        if len(answer) > SHORT:
            return answer
        if answer in WHOLE:
            return WHOLE[answer][language]
        value = decode(answer)
        if isinstance(value, (Mapping, list)):
            return json.dumps(leaves(value), ensure_ascii=False)
        return _EXPRESSION.sub(expression, answer)

    def leaves(value: Any) -> Any:
        if isinstance(value, Mapping):
            return {key: leaves(item) for key, item in value.items()}
        if isinstance(value, list):
            return [leaves(item) for item in value]
        return text(value) if isinstance(value, str) and value else value

    def change(entry: Entry, _: int) -> Entry:
        return said(entry, text)

    return each(change)


MUTATIONS = [
    Mutation("short answers: German", translated(Language.GERMAN)),
    Mutation("short answers: Chinese", translated(Language.CHINESE)),
    Mutation("short answers: Japanese", translated(Language.JAPANESE)),
    Mutation("short answers: other English words", translated(Language.WORDS)),
    Mutation("short answers: English sentences", translated(Language.SENTENCES)),
]
