/** How long a step or a pipeline took, or takes. Most take milliseconds, and "0.0 s" would say that nothing happened. */
import { DurationText } from '@slipway/ui/text/DurationText.tsx';

const smallestMs = 100;

export function StepTime({ from, to }: { from: string; to: string | null }) {
  if (to !== null && Date.parse(to) - Date.parse(from) < smallestMs) return <span className="num">&lt; 0.1 s</span>;
  return <DurationText from={from} to={to} />;
}
