import { type ReactNode, useEffect, useState } from 'react';

type Theme = 'dark' | 'light';
const CHANGED = 'tradewind-theme';

export const currentTheme = (): Theme => (document.documentElement.dataset['theme'] === 'light' ? 'light' : 'dark');

/** Shows a theme and remembers it on this device. */
export function setTheme(theme: Theme): void {
  const page = document.documentElement;
  page.dataset['theme'] = theme;
  const ground = getComputedStyle(page).getPropertyValue('--color-ground');
  document.querySelector('meta[name="theme-color"]')?.setAttribute('content', ground);
  try {
    localStorage.setItem('theme', theme);
  } catch {
    // Without storage the choice lasts until the page is closed.
  }
  dispatchEvent(new Event(CHANGED));
}

export function useTheme(): Theme {
  const [theme, setShown] = useState(currentTheme);
  useEffect(() => {
    const read = (): void => setShown(currentTheme());
    addEventListener(CHANGED, read);
    return () => removeEventListener(CHANGED, read);
  }, []);
  return theme;
}

export function ThemeSwitch(): ReactNode {
  const theme = useTheme();
  const other = theme === 'dark' ? 'light' : 'dark';
  return (
    <button
      type="button"
      className="btn quiet thm"
      aria-label={`Switch to the ${other} theme`}
      onClick={() => setTheme(other)}
    >
      {other === 'light' ? 'Light' : 'Dark'}
    </button>
  );
}
