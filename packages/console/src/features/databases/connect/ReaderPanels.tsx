/** The read-only login on the Connect tab: an explanation while it is off, and its facts while it is on. Both offer the action. */
import type { Database } from '@slipway/contract/database/database.ts';
import { EmptyState } from '@slipway/ui/feedback/EmptyState.tsx';
import { Button } from '@slipway/ui/form/Button.tsx';
import { KeyValue } from '@slipway/ui/layout/KeyValue.tsx';
import { Panel, PanelBody, PanelHead } from '@slipway/ui/layout/Panel.tsx';
import { lazy, Suspense, useState } from 'react';
import { reasonOf } from '#kit/error/messages.ts';

const ReaderDialog = lazy(() => import('#features/databases/page/ReaderDialog.tsx'));

interface ReaderProps {
  database: Database;
  team: string;
}

function ReaderButton({ database, team }: ReaderProps) {
  const [isAsking, setAsking] = useState(false);
  const isOff = database.reader === null;
  return (
    <>
      <Button disabledReason={reasonOf(database.can, 'setReader', { team })} onClick={() => setAsking(true)}>
        {isOff ? 'Turn on read-only login' : 'Turn off read-only login'}
      </Button>
      <Suspense fallback={null}>{isAsking && <ReaderDialog database={database} onClose={() => setAsking(false)} />}</Suspense>
    </>
  );
}

export function ReaderOff(props: ReaderProps) {
  return (
    <Panel aria-label="Read-only login">
      <EmptyState kind="first-use" level={2} title="The read-only login is off" actions={<ReaderButton {...props} />}>
        An analyst or a reporting service connects with it. It reads every table, also later ones, and writes nothing. Its keys are in a
        secret group of their own.
      </EmptyState>
    </Panel>
  );
}

export function ReaderOn(props: ReaderProps) {
  const { reader, maxConnections } = props.database;
  if (!reader) return null;
  return (
    <Panel aria-labelledby="reader">
      <PanelHead title="Read-only login" titleId="reader" />
      <PanelBody className="stack stack-12">
        <KeyValue
          items={[
            { label: 'User', value: <code>{reader.user}</code> },
            { label: 'Connections', value: `${reader.maxConnections} of ${maxConnections}` },
          ]}
        />
        <p className="meta">Rotating the credentials changes its password, too. Row-level security applies to it.</p>
        <ReaderButton {...props} />
      </PanelBody>
    </Panel>
  );
}
