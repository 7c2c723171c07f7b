/** Duration of a step or pipeline. Shows "< 0.1 s" for short ones, since "0.0 s" would look like nothing happened. */
import { DurationText } from '@slipway/ui/text/DurationText.tsx';

const smallestMs = 100;

export function StepTime({ from, to }: { from: string; to: string | null }) {
  if (to !== null && Date.parse(to) - Date.parse(from) < smallestMs) return <span className="num">&lt; 0.1 s</span>;
  return <DurationText from={from} to={to} />;
}
