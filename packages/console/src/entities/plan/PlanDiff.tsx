/** The changes by section: removed line, added line, with the differing words marked. */
import { type ServiceChange, settingsSectionIds, settingsSections } from '@slipway/contract/pipeline/service-change.ts';
import { useMemo } from 'react';
import { DiffLines, DiffSection, DiffTable } from '#kit/diff/DiffTable.tsx';
import { changeLines } from './change-lines.ts';

export function PlanDiff({ changes }: { changes: readonly ServiceChange[] }) {
  const sections = settingsSectionIds
    .map((section) => ({ section, changes: changes.filter((change) => change.section === section) }))
    .filter((group) => group.changes.length > 0);
  return (
    <DiffTable label="Changes">
      {sections.map(({ section, changes: own }) => (
        <DiffSection key={section} title={settingsSections[section]}>
          {own.map((change) => (
            <ChangeRows key={change.path} change={change} />
          ))}
        </DiffSection>
      ))}
    </DiffTable>
  );
}

function ChangeRows({ change }: { change: ServiceChange }) {
  const lines = useMemo(() => changeLines(change), [change]);
  const labelOf = (index: number): string | undefined =>
    index === 0 || lines[index - 1]?.kind !== lines[index]?.kind ? change.label : undefined;
  return <DiffLines lines={lines} labelOf={labelOf} />;
}
