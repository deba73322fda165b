import type { ReactNode } from 'react';
import { signedPercent, whole } from './numbers.ts';

interface BandProps {
  band: {
    readonly worst: number;
    readonly base: number;
    readonly best: number;
    readonly candles: number;
    /** Of the candles; absent in results of older versions. */
    readonly stops?: number;
    readonly crossed?: number;
  };
}

/** Kinds of ambiguous candles, where known. */
function kindsOf({ stops = 0, crossed = 0 }: BandProps['band']): string {
  const kinds = [
    ...(stops === 0 ? [] : [`${whole(stops)} with a stop whose limit price was broken`]),
    ...(crossed === 0 ? [] : [`${whole(crossed)} that crossed a buy or sell price and closed elsewhere`]),
  ];
  return kinds.length === 0 ? '' : ` Among them: ${kinds.join('; ')}.`;
}

/** How far a result depends on the unknown order of events inside single candles. */
export function AmbiguityBand({ band }: BandProps): ReactNode {
  const { worst, base, best, candles } = band;
  const margin = Math.max((best - worst) * 0.5, 0.002);
  const [from, to] = [worst - margin, best + margin];
  const at = (share: number): string => `${((share - from) / (to - from)) * 100}%`;
  const words = `worst ${signedPercent(worst, 1)}, base ${signedPercent(base, 1)}, best ${signedPercent(best, 1)}`;
  return (
    <>
      <div className="band" role="img" aria-label={`Ambiguity band: ${words}`}>
        <i className="ln" />
        <i className="rg" style={{ left: at(worst), right: `calc(100% - ${at(best)})` }} />
        <i className="mk" style={{ left: at(base) }} />
        <span className="lo">worst {signedPercent(worst, 1)}</span>
        <span className="up" style={{ left: at(base) }}>
          base {signedPercent(base, 1)}
        </span>
        <span className="hi">best {signedPercent(best, 1)}</span>
      </div>
      <p className="two px-2">
        {candles === 0
          ? 'Ambiguity: none.'
          : `In ${whole(candles)} ${candles === 1 ? 'candle' : 'candles'} two events could have happened in either order, such as exit and stop. Worst and best assume the least and the most favourable order.${kindsOf(band)}`}
      </p>
    </>
  );
}
