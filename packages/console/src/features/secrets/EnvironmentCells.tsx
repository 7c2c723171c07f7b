/** Cells that show whether a key exists, and how two environments differ in it. */
import { Status } from '@slipway/ui/feedback/Status.tsx';
import { VisuallyHidden } from '@slipway/ui/layout/VisuallyHidden.tsx';
import { mask, stateLabels, type EnvironmentState } from './secret-labels.ts';

/** A hidden value. */
export function Masked() {
  return (
    <span className="mono quiet">
      <span aria-hidden="true">{mask}</span>
      <VisuallyHidden>Hidden value</VisuallyHidden>
    </span>
  );
}

export function Present({ isPresent }: { isPresent: boolean }) {
  return isPresent ? <Masked /> : <Status tone="warn">Missing</Status>;
}

export function StateWord({ state }: { state: EnvironmentState }) {
  if (state === 'SAME') return <span className="quiet">{stateLabels.SAME}</span>;
  if (state === 'DIFFERENT') return stateLabels.DIFFERENT;
  return <span className="tone-warn strong">{stateLabels[state]}</span>;
}
