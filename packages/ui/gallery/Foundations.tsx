// Marks, type, buttons, and the small parts of text.
import { Ellipsis, Play } from 'lucide-react';
import { Avatar } from '../src/text/Avatar.tsx';
import { Badge } from '../src/feedback/Badge.tsx';
import { Button } from '../src/form/Button.tsx';
import { Copy } from '../src/text/Copy.tsx';
import { DurationText } from '../src/text/DurationText.tsx';
import { IconButton } from '../src/form/IconButton.tsx';
import { Kbd } from '../src/text/Kbd.tsx';
import { LinkButton } from '../src/form/LinkButton.tsx';
import { MiddleTruncate } from '../src/text/MiddleTruncate.tsx';
import { Panel, PanelBody } from '../src/layout/Panel.tsx';
import { RelativeTime } from '../src/text/RelativeTime.tsx';
import { Status } from '../src/feedback/Status.tsx';
import { Table } from '../src/list/Table.tsx';
import { Tag } from '../src/feedback/Tag.tsx';
import type { Tone } from '../src/tone.ts';
import css from './Gallery.module.css';
import { Sample, Section } from './Section.tsx';

const MARKS: { tone: Tone; word: string; also: string }[] = [
  { tone: 'ok', word: 'Healthy', also: 'Completed, Ready' },
  { tone: 'bad', word: 'Failing', also: 'Failed, Crashed, Error' },
  { tone: 'warn', word: 'Pending', also: 'Queued, Warning, Unhealthy' },
  { tone: 'run', word: 'Running', also: 'Starting, Stopping' },
  { tone: 'idle', word: 'No instances', also: 'Unknown, Canceled, Skipped, Deleted' },
  { tone: 'off', word: 'Inactive', also: 'Disabled, not yet begun' },
];

const START = new Date(Date.now() - 48_000);

function Buttons() {
  return (
    <Panel>
      <PanelBody className="stack">
        <div className={css.states}>
          <Sample caption="Primary">
            <Button variant="primary" icon={<Play aria-hidden="true" />}>
              Run pipeline
            </Button>
          </Sample>
          <Sample caption="Busy, keeps its width">
            <Button variant="primary" isBusy busyLabel="Starting">
              Run pipeline
            </Button>
          </Sample>
          <Sample caption="A link">
            <LinkButton href="/new">New App</LinkButton>
          </Sample>
          <Sample caption="Large, 40">
            <Button variant="primary" size="lg">
              Create app
            </Button>
          </Sample>
        </div>
        <div className={css.states}>
          <Sample caption="Secondary">
            <Button>Copy to</Button>
          </Sample>
          <Sample caption="Quiet">
            <Button variant="quiet">Discard</Button>
          </Sample>
          <Sample caption="Danger, in dialogs only">
            <Button variant="danger">Delete app</Button>
          </Sample>
          <Sample caption="Small, 28">
            <Button size="sm">Add</Button>
          </Sample>
          <Sample caption="Icon">
            <IconButton label="More actions for example" icon={<Ellipsis aria-hidden="true" />} />
          </Sample>
        </div>
        <div className={css.states}>
          <Button disabledReason="Unable to delete service with existing revisions" reasonPlacement="below">
            Delete service
          </Button>
          <Sample caption="Reason on hover and focus">
            <Button variant="primary" disabledReason="A change is being applied">
              Apply
            </Button>
          </Sample>
        </div>
      </PanelBody>
    </Panel>
  );
}

export function Foundations() {
  return (
    <>
      <Section title="Marks">
        <Panel>
          <Table
            label="Marks"
            density="compact"
            phone="flow"
            rows={MARKS}
            rowKey={(row) => row.tone}
            columns={[
              { key: 'mark', header: 'Mark and word', cell: (row) => <Status tone={row.tone}>{row.word}</Status> },
              { key: 'badge', header: 'Badge, strip only', cell: (row) => <Badge tone={row.tone}>{row.word}</Badge> },
              { key: 'also', header: 'Also for', cell: (row) => <span className="quiet">{row.also}</span> },
            ]}
          />
        </Panel>
      </Section>
      <Section title="Depth scale and type">
        <Panel>
          <PanelBody className="stack">
            <div>
              <div className={css.swatches} aria-hidden="true">
                <i />
                <i />
                <i />
                <i />
                <i />
              </div>
              <p className={css.cap}>depth-1 to depth-5: quantity only. Areas 2, bars 4, lines 5. Never a status.</p>
            </div>
            <div className={css.h1}>Page title 24/32, 600</div>
            <div className={css.h2}>Section 18/26, 600</div>
            <div>
              Body and controls 15/22 · <strong>strong 600</strong>
            </div>
            <div className="dense">
              Dense table 14/20, <span className="num">tabular 1,208 · 412 · 38</span>
            </div>
            <div className="meta">Meta, hint, badge 13/18</div>
            <div className="mono">2026.11.20-4f2c9e1 · 0O 1lI, mono 13/20</div>
          </PanelBody>
        </Panel>
      </Section>
      <Section title="Buttons">
        <Buttons />
      </Section>
      <Section title="Small parts">
        <Panel>
          <PanelBody className="stack">
            <div className="row row-wrap">
              <Avatar name="Ingrid Solheim" />
              <Avatar name="Kwame Boateng" size="lg" />
              <Avatar name="ci-berth-planner" isMachine />
              <Tag>User secret</Tag>
              <Kbd keys="Mod K" />
              <Kbd keys="G L" />
            </div>
            <div className="row">
              <span className="mono">2026.11.18-b81d07a</span>
              <Copy text="2026.11.18-b81d07a" what="image tag" />
            </div>
            <div className={css.narrow}>
              <MiddleTruncate isMono isFocusable text="registry.slipway.dev/berth-planner/api:2026.11.18-b81d07a" />
            </div>
            <div>
              Deployed <RelativeTime at={START} isFocusable /> and runs for <DurationText from={START} />
            </div>
            <div className="row row-wrap row-wide">
              <Status tone="ok" isTinted>
                Healthy
              </Status>
              <Status tone="run" isTinted>
                Taking over
              </Status>
              <Status tone="off" isTinted>
                Disabled
              </Status>
              <Status tone="bad">Failing 1/3</Status>
            </div>
          </PanelBody>
        </Panel>
      </Section>
    </>
  );
}
