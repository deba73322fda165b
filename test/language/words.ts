/** A word that readers search for in vain or must read twice, and the words to use instead. */
interface Word {
  readonly pattern: RegExp;
  readonly better: string;
}

/** Starts a sentence: a text, a comment line, a list item or a heading starts, or another sentence ended. */
const START = String.raw`(?<=^\s*(?:(?:\/\*\*?|\/\/|\*|#+|-|\d+\.)\s+)?|[.!;:]\s+(?:(?:\/\/|\*|#)\s+)?)`;

/** A space in a pattern also fits a line break inside a comment. */
const word = (source: string, better: string, flags = 'gi'): Word => ({
  pattern: new RegExp(String.raw`\b(?:${source})\b`.replaceAll(' ', String.raw`\s+(?:(?:\/\/|\*|#)\s+)?`), flags),
  better,
});

export const WORDS: readonly Word[] = [
  word('tell|tells|told|telling', 'report, publish, notify, say; distinguish (tell apart)'),
  word('heard|hears?', 'received, receive'),
  word('anew', 'again, or name the action: reconnect, rebuild'),
  word('beside', 'next to, as well as, alongside'),
  word('by (?:itself|themselves|himself|herself)', 'automatically; alone'),
  word('(?:hang|hangs|hanging|hung) on', 'depend on'),
  word('(?:stand|stands|stood)(?! (?:for|by|alone|in for)\\b)', 'is, are listed, remain'),
  word('(?:come|comes|coming|came|become|becomes|became) of', 'outcome, result, happens to'),
  word('(?:look|looks|looked|looking) after', 'handle, maintain'),
  word('nobody|somebody|whoever', 'no user, the caller, anyone who, or leave it out'),
  word('made of', 'consists of, contains'),
  word('at hand', 'available'),
  word('in vain', 'without success; name the failure'),
  word('(?:take|takes|took|taken|taking) (?:it |them |that |this )?back', 'cancel, undo, withdraw'),
  word('(?:go|goes|went|gone|going) on', 'continue, happen'),
  word('begun', 'started'),
  word('asked|asking|asks? (?:for|the|whether|how|what|it|again|them|you|every|each|a|an)', 'request, query, call'),
  word('The same for', 'name what applies: "Likewise for"', 'g'),
  word('for good(?! (?:reason|measure|and)\\b)', 'permanently, finally'),
  word('wish|wishes|wished', 'request, setting'),
  word('purses?|theatres?|governors?|knobs?', 'balance, sandbox, rate limiter, setting'),
  {
    pattern: new RegExp(String.raw`${START}What\b(?!\s+(?:to|happens)\b)(?=[^.?!:;|]*(?:[.!:;|]|$))`, 'g'),
    better: 'name the thing instead of "What ..." as a subject',
  },
];
