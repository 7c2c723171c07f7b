/** What changes, section by section: a line that goes, a line that comes, the words that differ marked. */
import type { ServiceChange } from '@slipway/contract/service/settings-diff.ts';
import { settingsSectionIds, settingsSections } from '@slipway/contract/service/service-settings.ts';
import { VisuallyHidden } from '@slipway/ui/layout/VisuallyHidden.tsx';
import { useMemo } from 'react';
import { changeLines, type DiffLine } from './change-lines.ts';
import css from './PlanDiff.module.css';

const signs = { del: '−', add: '+', same: '', gap: '⋯' };
const words = { del: 'was', add: 'becomes', same: 'stays', gap: '' };

export function PlanDiff({ changes }: { changes: readonly ServiceChange[] }) {
  const sections = settingsSectionIds
    .map((section) => ({ section, changes: changes.filter((change) => change.section === section) }))
    .filter((group) => group.changes.length > 0);
  return (
    <div className={css.frame}>
      <table className={css.diff} aria-label="Changes">
        {sections.map(({ section, changes: own }) => (
          <tbody key={section}>
            <tr>
              <th className={css.section} colSpan={2} scope="rowgroup">
                {settingsSections[section]}
              </th>
            </tr>
            {own.map((change) => (
              <ChangeRows key={change.path} change={change} />
            ))}
          </tbody>
        ))}
      </table>
    </div>
  );
}

function ChangeRows({ change }: { change: ServiceChange }) {
  const lines = useMemo(() => changeLines(change), [change]);
  return lines.map((line, index) => (
    <tr key={index} className={css[line.kind]}>
      <td className={css.sign}>
        <span aria-hidden="true">{signs[line.kind]}</span>
        <VisuallyHidden>{words[line.kind]}</VisuallyHidden>
      </td>
      <td>
        <Line line={line} label={index === 0 || lines[index - 1]?.kind !== line.kind ? change.label : undefined} />
      </td>
    </tr>
  ));
}

function Line({ line, label }: { line: DiffLine; label: string | undefined }) {
  const Marked = line.kind === 'del' ? 'del' : 'ins';
  return (
    <>
      {label !== undefined && line.kind !== 'same' && line.kind !== 'gap' && `${label}: `}
      {line.parts.map((part, index) => (part.isMarked ? <Marked key={index}>{part.text}</Marked> : <span key={index}>{part.text}</span>))}
    </>
  );
}
