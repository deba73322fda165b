/**
 * Valid coin names: the exchange's text of the range, and the regular expression (`v`). Any script, no lower-case a to
 * z.
 */
export const SYMBOL_RANGE = '[\\w\\-._&&[^a-z]]{1,50}';
export const SYMBOL_PATTERN = '[[\\p{L}\\p{N}_\\-.]--[a-z]]{1,50}';
