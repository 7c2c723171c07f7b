/** The fields that a request changes: now, and if approved. */
import type { RequestDifference } from '@slipway/contract/request/request.ts';
import { classNames } from '@slipway/ui/class-names.ts';
import css from './RequestDetail.module.css';

interface RequestDiffProps {
  differences: readonly RequestDifference[];
  /** Heads of the two columns. */
  heads: readonly [before: string, after: string];
}

export function RequestDiff({ differences, heads }: RequestDiffProps) {
  return (
    <div className={css.frame}>
      <table className={css.diff} aria-label="What would change">
        <thead>
          <tr>
            <th scope="col">Field</th>
            {heads.map((head) => (
              <th key={head} scope="col">
                {head}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {differences.map(({ field, label, before, after }) => {
            const isSame = before === after;
            if (field.startsWith('effect.'))
              return (
                <tr key={field}>
                  <th scope="row">{label}</th>
                  <td colSpan={2}>{after}</td>
                </tr>
              );
            return (
              <tr key={field}>
                <th scope="row">{label}</th>
                <td className={classNames(!isSame && before !== null && css.del)}>
                  {before === null ? (
                    <span className="quiet">none</span>
                  ) : (
                    <Mark as="del" isPlain={isSame}>
                      {before}
                    </Mark>
                  )}
                </td>
                <td className={classNames(!isSame && css.add)}>
                  {isSame ? <span className="quiet">the same</span> : <Mark as="ins">{after ?? 'none'}</Mark>}
                </td>
              </tr>
            );
          })}
        </tbody>
      </table>
    </div>
  );
}

function Mark({ as: Element, isPlain = false, children }: { as: 'del' | 'ins'; isPlain?: boolean; children: string }) {
  return isPlain ? children : <Element>{children}</Element>;
}
