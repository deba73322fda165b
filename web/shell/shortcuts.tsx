import { useNavigate } from '@tanstack/react-router';
import { createElement, type ReactNode, useEffect, useRef, useState } from 'react';
import { useDemo } from '#web/data/session.tsx';
import { whenIdle } from '#web/data/when-idle.ts';
import { KEYS, placesOf } from '#web/ui/places.ts';
import { Dialog } from '#web/ui/dialog.tsx';

const loadPalette = async () => (await import('./palette.tsx')).Palette;
type PaletteScript = Awaited<ReturnType<typeof loadPalette>>;

/** The palette; its script is loaded when the page is idle, or on first use. */
function usePalette(wanted: boolean): PaletteScript | undefined {
  const [palette, setPalette] = useState<PaletteScript | undefined>(undefined);
  useEffect(() => {
    const load = (): void => void loadPalette().then((script) => setPalette(() => script));
    if (!wanted) return whenIdle(load);
    load();
    return undefined;
  }, [wanted]);
  return palette;
}

const isTyping = (target: EventTarget | null): boolean =>
  target instanceof Element && target.closest('input, select, textarea, [role=slider]') !== null;

/** Moves the focus to the link of the next or previous row. */
function moveRow(step: 1 | -1): void {
  const rows = [...document.querySelectorAll<HTMLElement>('main tbody tr a, main .feed summary')];
  const at = rows.findIndex((row) => row === document.activeElement);
  rows[at === -1 ? (step === 1 ? 0 : rows.length - 1) : at + step]?.focus();
}

/** Keyboard shortcuts of every page, and the button of the palette. */
export function Shortcuts({ onStop }: { onStop: () => void }): ReactNode {
  const [shown, setShown] = useState<'palette' | 'keys' | undefined>(undefined);
  const afterG = useRef(false);
  const navigate = useNavigate();
  const demo = useDemo();
  const palette = usePalette(shown === 'palette');
  useEffect(() => {
    const press = (event: KeyboardEvent): void => {
      const key = event.key.toLowerCase();
      if ((event.ctrlKey || event.metaKey) && key === 'k') {
        event.preventDefault();
        setShown('palette');
        return;
      }
      if (event.shiftKey && key === 'escape') {
        // Otherwise the same key closes the dialog that it just opened.
        event.preventDefault();
        onStop();
        return;
      }
      const open = document.querySelector('dialog[open]') !== null;
      if (open || isTyping(event.target) || event.ctrlKey || event.metaKey || event.altKey) return;
      const place = afterG.current ? placesOf(demo).find((target) => target.key === key) : undefined;
      afterG.current = key === 'g';
      if (place !== undefined) void navigate({ to: place.to });
      else if (key === '?') setShown('keys');
      else if (key === 'j') moveRow(1);
      else if (key === 'k') moveRow(-1);
    };
    addEventListener('keydown', press);
    return () => removeEventListener('keydown', press);
  }, [demo, navigate, onStop]);
  const close = (): void => setShown(undefined);
  return (
    <>
      <button type="button" className="btn quiet goto" onClick={() => setShown('palette')}>
        Go to <kbd>Ctrl K</kbd>
      </button>
      {shown === 'palette' && palette !== undefined
        ? createElement(palette, { open: true, onClose: close, onStop })
        : null}
      <Dialog title="Keys" open={shown === 'keys'} onClose={close}>
        <dl className="dl py-2">
          {KEYS.map(([key, words]) => (
            <div key={key} className="contents">
              <dt>
                <kbd>{key}</kbd>
              </dt>
              <dd>{words}</dd>
            </div>
          ))}
        </dl>
        <button type="button" className="btn" onClick={close}>
          Close
        </button>
      </Dialog>
    </>
  );
}
