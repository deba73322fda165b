import type { ReactNode } from 'react';
export function LiveChecksPage(): ReactNode {
  return null;
}
