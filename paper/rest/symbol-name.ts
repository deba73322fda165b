/** Names of coins as the exchange words their range, and as this regular expression (`v`): any script, no small a to z. */
export const SYMBOL_RANGE = '[\\w\\-._&&[^a-z]]{1,50}';
export const SYMBOL_PATTERN = '[[\\p{L}\\p{N}_\\-.]--[a-z]]{1,50}';
