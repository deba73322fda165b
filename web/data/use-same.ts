import { useState } from 'react';

/** The value that was equal first: a new object with the same content does not make effects run again. */
export function useSame<Value>(value: Value): Value {
  const text = JSON.stringify(value);
  const [kept, setKept] = useState({ text, value });
  if (kept.text === text) return kept.value;
  setKept({ text, value });
  return value;
}
