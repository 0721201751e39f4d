"""Units that Grafana knows and that tool calls can have; the others of its list would be a mistake here.

Source: https://github.com/grafana/grafana/blob/main/packages/grafana-data/src/valueFormats/categories.ts
"""

_NUMBERS = "none short string locale percent percentunit bool bool_yes_no bool_on_off"
_TIMES = "ns µs ms s m h d dtdurationms dtdurations dthms dtdhms clockms clocks"
_INSTANTS = "dateTimeAsIso dateTimeAsIsoNoDateIfToday dateTimeAsLocal dateTimeAsSystem dateTimeFromNow"
_RATES = "hertz cps ops reqps rps wps iops eps cpm opm reqpm rpm wpm epm"
_SIZES = "bits bytes kbytes mbytes gbytes decbits decbytes deckbytes decmbytes decgbytes Bps binBps bps binbps"
_MONEY = "currencyUSD currencyEUR currencyGBP"

UNITS = frozenset(" ".join((_NUMBERS, _TIMES, _INSTANTS, _RATES, _SIZES, _MONEY)).split())
