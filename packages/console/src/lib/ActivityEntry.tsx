/** One entry of the activity log in full: before and after, where it came from, and what came of it. */
import type { Activity } from '@slipway/contract/activity.ts';
import { Button } from '@slipway/ui/Button.tsx';
import { Dialog } from '@slipway/ui/Dialog.tsx';
import { KeyValue } from '@slipway/ui/KeyValue.tsx';
import { exactTime } from '@slipway/ui/format/relative-time.ts';
import { useState } from 'react';
import css from './ActivityPanel.module.css';

const origins: Readonly<Record<Activity['origin'], string>> = {
  console: 'Console',
  token: 'API token',
  pipeline: 'Pipeline',
  platform: 'Platform',
};
const outcomes: Readonly<Record<Activity['outcome'], string>> = {
  DONE: 'Done',
  STARTED: 'Pipeline started',
  FAILED: 'Failed',
  REFUSED: 'Refused',
};

function Values({ title, value }: { title: string; value: unknown }) {
  if (value === null || value === undefined) return null;
  return (
    <section className="stack stack-4">
      <h3>{title}</h3>
      <pre className={css.values} tabIndex={0} aria-label={title}>
        {JSON.stringify(value, undefined, 2)}
      </pre>
    </section>
  );
}

export function ActivityEntry({ entry, onClose }: { entry: Activity | undefined; onClose: () => void }) {
  // The dialog keeps its words while it closes.
  const [shown, setShown] = useState(entry);
  if (entry && entry !== shown) setShown(entry);
  return (
    <Dialog
      isOpen={entry !== undefined}
      onClose={onClose}
      hasClose
      title={shown?.message ?? ''}
      actions={<Button onClick={onClose}>Close</Button>}
    >
      {shown && (
        <>
          <KeyValue
            items={[
              { label: 'When', value: exactTime(new Date(shown.at)) },
              { label: 'Who', value: shown.actor.displayName },
              { label: 'From', value: origins[shown.origin] },
              { label: 'Outcome', value: outcomes[shown.outcome] },
              { label: 'Type', value: shown.type },
              { label: 'Reason', value: shown.reason },
              ...(shown.service ? [{ label: 'Service', value: shown.service }] : []),
              ...(shown.pipelineId ? [{ label: 'Pipeline', value: <code>{shown.pipelineId}</code> }] : []),
            ]}
          />
          <Values title="Before" value={shown.before} />
          <Values title="After" value={shown.after} />
        </>
      )}
    </Dialog>
  );
}
