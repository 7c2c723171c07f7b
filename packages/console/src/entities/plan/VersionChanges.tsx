/** Changes of image and secret versions; changes of settings are listed elsewhere. */
import type { Plan } from '@slipway/contract/pipeline/plan.ts';
import { KeyValue } from '@slipway/ui/layout/KeyValue.tsx';
import { VisuallyHidden } from '@slipway/ui/layout/VisuallyHidden.tsx';
import type { ReactNode } from 'react';

const become = (before: ReactNode, after: ReactNode): ReactNode => (
  <span>
    {before} <span aria-hidden="true">→</span>
    <VisuallyHidden>becomes</VisuallyHidden> <strong>{after}</strong>
  </span>
);
const version = (number: number | null): string => (number === null ? 'not read' : `version ${number}`);

export function VersionChanges({ image, secretVersions }: Pick<Plan, 'image' | 'secretVersions'>) {
  const items = [
    ...(image && image.before !== image.after
      ? [{ key: 'image', label: 'Image tag', value: become(<code>{image.before ?? 'none'}</code>, <code>{image.after}</code>) }]
      : []),
    ...secretVersions.map(({ group, before, after }) => ({
      key: group,
      label: `Secrets ${group}`,
      value: become(version(before), version(after)),
    })),
  ];
  return items.length === 0 ? null : <KeyValue items={items} />;
}
