/** A name in a sentence, such as `{rsi}` or `{channel.before.upper}`. */
export const FIELD_IN_SENTENCE = /\{([a-zA-Z][\w.]*)\}/g;

/** The name of its number: a dot cannot be part of one. */
export const keyOf = (name: string): string => name.replaceAll('.', '_');
