import type { ReactNode } from 'react';
export function DiscoveryPage(): ReactNode {
  return null;
}
