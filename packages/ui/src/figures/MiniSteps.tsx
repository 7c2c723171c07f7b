// Progress of a pipeline in a table cell: a dash per step. The text next to it has the same information.
import css from './MiniSteps.module.css';

/** `done` steps are complete, the next one is running. */
export function MiniSteps({ done, total }: { done: number; total: number }) {
  return (
    <span className={css.mini} aria-hidden="true">
      {Array.from({ length: total }, (_, index) => (
        <i key={index} data-state={index < done ? 'done' : index === done ? 'current' : undefined} />
      ))}
    </span>
  );
}
