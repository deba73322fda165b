/** IANA zones the browser knows, with UTC first, grouped by region in alphabetical order. */
export function zoneGroups(current: string): { region: string; zones: string[] }[] {
  const names = new Set(['UTC', ...Intl.supportedValuesOf('timeZone'), current]);
  const groups = Map.groupBy([...names].sort(), (name) =>
    name.includes('/') ? name.slice(0, name.indexOf('/')) : 'UTC and others',
  );
  return [...groups].map(([region, zones]) => ({ region, zones })).sort((a, b) => a.region.localeCompare(b.region));
}

/** The zone of this browser, UTC when it is unknown. */
export const browserZone = (): string => Intl.DateTimeFormat().resolvedOptions().timeZone || 'UTC';
