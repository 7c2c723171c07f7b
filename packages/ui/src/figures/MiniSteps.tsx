// How far a pipeline is, in a table cell: a dash per step. The words beside it say the same.
import css from './MiniSteps.module.css';

/** `done` steps are behind, the next one runs. */
export function MiniSteps({ done, total }: { done: number; total: number }) {
  return (
    <span className={css.mini} aria-hidden="true">
      {Array.from({ length: total }, (_, index) => (
        <i key={index} data-state={index < done ? 'done' : index === done ? 'current' : undefined} />
      ))}
    </span>
  );
}
