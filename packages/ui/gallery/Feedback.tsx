// Banners, notices, toasts, dialogs.
import { Rocket } from 'lucide-react';
import { useState } from 'react';
import { Banner } from '../src/feedback/Banner.tsx';
import { Button } from '../src/form/Button.tsx';
import { CommandLine } from '../src/text/CommandLine.tsx';
import { ConfirmDialog } from '../src/overlay/ConfirmDialog.tsx';
import { Dialog } from '../src/overlay/Dialog.tsx';
import { EmptyState } from '../src/feedback/EmptyState.tsx';
import { Field } from '../src/form/Field.tsx';
import { Input } from '../src/form/Input.tsx';
import { Notice } from '../src/feedback/Notice.tsx';
import { Panel } from '../src/layout/Panel.tsx';
import { StartCard } from '../src/feedback/StartCard.tsx';
import { toast } from '../src/overlay/toast.ts';
import css from './Gallery.module.css';
import { Section } from './Section.tsx';

function Dialogs() {
  const [open, setOpen] = useState<'delete' | 'reveal'>();
  const close = () => setOpen(undefined);
  return (
    <div className="row row-wrap">
      <Button onClick={() => setOpen('delete')}>Delete an app</Button>
      <Button onClick={() => setOpen('reveal')}>Reveal a secret</Button>
      <Button onClick={() => toast.success('Pipeline 213 started', { detail: 'berth-planner-api, production', href: '/p/213' })}>
        Success toast
      </Button>
      <Button onClick={() => toast.failure('There was an error while trying to cancel the pipeline.', { traceId: '7f3c19e04b8d4a52' })}>
        Failure toast
      </Button>
      <ConfirmDialog
        isOpen={open === 'delete'}
        onClose={close}
        onConfirm={close}
        title="Delete tariff-engine?"
        description="This removes its registry project and 41 images. The repository stays."
        consequences={['tariff-engine.slipway.dev stops answering', '3 secret groups are gone for good']}
        confirmWord="tariff-engine"
        confirmLabel="Delete tariff-engine"
      />
      <Dialog
        isOpen={open === 'reveal'}
        onClose={close}
        title="Reveal DB_PASSWORD"
        description="berth-planner-db, version 9, production. Your name and reason go into the activity log."
        onSubmit={(event) => {
          event.preventDefault();
          close();
        }}
        actions={
          <>
            <Button onClick={close}>Cancel</Button>
            <Button type="submit" variant="primary">
              Reveal for 30 s
            </Button>
          </>
        }
      >
        <Field label="Why do you need it?" hint="Hidden again after 30 seconds.">
          <Input defaultValue="Checking a failed login on the replica" />
        </Field>
      </Dialog>
    </div>
  );
}

export function Feedback() {
  return (
    <>
      <Section title="Error banner" width="full">
        <Banner
          title="500 - Something went wrong on our side. Please try again later."
          traceId="7f3c19e04b8d4a52"
          traceNote="Please paste the error details when you contact support."
          onClose={() => undefined}
          actions={
            <>
              <Button size="sm">Copy Error Details</Button>
              <Button size="sm">View Full Error</Button>
            </>
          }
        >
          <p>The list of services could not be read. Nothing was changed, and your services keep running.</p>
        </Banner>
      </Section>
      <Section title="Notices">
        <div className="stack stack-8">
          <Notice>This service is inactive. It keeps its settings and answers nothing.</Notice>
          <Notice tone="run" actions={<a href="#view">View</a>}>
            A change is being applied. Settings are read-only until it is done.
          </Notice>
          <Notice tone="warn">Live updates stopped at 12:04. Reconnecting…</Notice>
          <Notice tone="bad">The last change was not applied.</Notice>
          <Notice tone="ok">All 3 instances run the new version.</Notice>
        </div>
      </Section>
      <Section title="Dialogs and toasts">
        <Dialogs />
      </Section>
      <Section title="First use" width="full">
        <div className="stack">
          <Panel>
            <EmptyState kind="first-use" level={2} title="Your teams have no apps yet" actions={<Button variant="primary">New App</Button>}>
              An app holds your services, secrets and databases, once for development and once for production.
            </EmptyState>
          </Panel>
          <div className={css.starts}>
            <StartCard
              title="Quickstart"
              isMain
              gets={[{ icon: <Rocket aria-hidden="true" />, text: 'A running service with a URL' }]}
              action={
                <Button variant="primary" size="lg">
                  Start
                </Button>
              }
            >
              From nothing to a running service, about two minutes.
            </StartCard>
            <StartCard title="Blank" action={<Button size="lg">Create blank app</Button>}>
              Only the app. You add services later.
            </StartCard>
            <StartCard title="From a terminal" action={<CommandLine command="slipway app create yard-planner" />}>
              The same from your own machine.
            </StartCard>
          </div>
        </div>
      </Section>
    </>
  );
}
