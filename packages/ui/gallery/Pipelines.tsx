// The parts of a pipeline: steps, log, failure card, quickstart list.
import { GitBranch, Globe, Package } from 'lucide-react';
import { Button } from '../src/form/Button.tsx';
import { DurationBar } from '../src/figures/DurationBar.tsx';
import { Link } from '../src/layout/Link.tsx';
import { type LogLine, LogView } from '../src/text/LogView.tsx';
import { MadeList } from '../src/list/MadeList.tsx';
import { Panel, PanelHead } from '../src/layout/Panel.tsx';
import { Status } from '../src/feedback/Status.tsx';
import { Steps } from '../src/figures/Steps.tsx';
import { WhyCard } from '../src/feedback/WhyCard.tsx';
import { Section } from './Section.tsx';

const at = (second: number) => new Date(Date.UTC(2026, 10, 20, 14, 8, second, 220 + second));

const LINES: LogLine[] = [
  { key: 1, number: 1, at: at(51), source: 'place', text: 'Wanted: 3 instances of reefer-alerts-notifier-88, 250 m, 256 MB each' },
  { key: 2, number: 2, at: at(53), source: 'p2n6c', text: 'placed on weu-node-02, image present' },
  { key: 3, number: 3, at: at(53), source: 'p2n6c', level: 'warn', text: '{"level":"info","msg":"listening on 0.0.0.0:3000"}' },
  { key: 4, number: 4, at: at(57), source: 'p2n6c', level: 'error', text: 'GET :8080/healthz  connect ECONNREFUSED (1 of 12)' },
  { key: 5, number: 5, text: '9 more of the same', kind: 'fold' },
  { key: 'deploy', text: 'Revision 35 began', kind: 'marker' },
  { key: 6, number: 6, at: at(59), source: 'p2n6c', text: 'Stopped. Revision 87 was never touched and serves all traffic' },
];

function Failure() {
  return (
    <WhyCard
      title={'Pipeline step "Start instances" failed'}
      seen={[
        {
          tone: 'bad',
          text: (
            <>
              <code>GET :8080/healthz</code> refused, 12 of 12 times
            </>
          ),
        },
        {
          tone: 'bad',
          text: (
            <>
              <a className="in" href="#L3">
                Log line 3
              </a>
              : <code>listening on 0.0.0.0:3000</code>
            </>
          ),
        },
        { tone: 'ok', text: 'Image, secrets and memory are fine' },
        { tone: 'ok', text: 'Revision 87 is untouched. No action needed' },
      ]}
      changedTitle="What changed since revision 87"
      changed={[
        <>
          <code>PORT</code> <span className="quiet">environment variable removed</span>
        </>,
        <>
          <Link href="/c">4 commits</Link> <span className="quiet">by Mei-Ling Tan</span>
        </>,
      ]}
      actions={
        <>
          <Button variant="primary">Add PORT = 8080 and re-run</Button>
          <Button>Set the exposed port to 3000</Button>
        </>
      }
    >
      <p>The container listens on port 3000, but the service is set to port 8080.</p>
    </WhyCard>
  );
}

export function Pipelines() {
  return (
    <>
      <Section title="Why it failed" width="full">
        <Failure />
      </Section>
      <Section title="Steps and log" width="full">
        <div className="split split-steps">
          <Panel>
            <PanelHead title="Steps" level={3}>
              <span className="meta">2 of 5 done</span>
            </PanelHead>
            <Steps
              label="Steps"
              items={[
                { key: 'check', title: 'Check repository', state: 'completed', href: '/1', time: '1.1 s', share: 0.03, usualShare: 0.03 },
                {
                  key: 'image',
                  title: 'Validate container image',
                  state: 'completed',
                  href: '/2',
                  time: '7.0 s',
                  share: 0.1,
                  usualShare: 0.08,
                },
                {
                  key: 'start',
                  title: 'Start instances',
                  state: 'failed',
                  href: '/3',
                  time: '2 min 00 s',
                  share: 1,
                  usualShare: 0.3,
                  isCurrent: true,
                },
                { key: 'wait', title: 'Wait for health', state: 'running', href: '/4', time: '48 s', share: 0.5, usualShare: 0.4 },
                { key: 'shift', title: 'Shift traffic', state: 'skipped', href: '/5', time: 'not reached' },
                { key: 'retire', title: 'Retire revision 87', state: 'todo', time: '' },
              ]}
            />
          </Panel>
          <div className="stack">
            <Panel>
              <PanelHead title="Start instances" level={3} />
              <LogView label="Log of Start instances" lines={LINES} hrefOf={(line) => `#L${line.number}`} currentKey={2} />
            </Panel>
            <Panel>
              <PanelHead
                title="Service, revision 1"
                level={3}
                note={
                  <Status tone="run" isTinted>
                    Live
                  </Status>
                }
              />
              <LogView label="Live log" lines={LINES} hasSource isBounded foot="Waiting for more" />
            </Panel>
          </div>
        </div>
      </Section>
      <Section title="You’ll get">
        <Panel>
          <MadeList
            items={[
              {
                key: 'repo',
                label: 'Repository',
                value: 'github.com/norrland-line/yard-planner',
                highlight: 'yard-planner',
                icon: <GitBranch aria-hidden="true" />,
                note: 'Express service, tests, deploy workflow',
              },
              {
                key: 'registry',
                label: 'Registry project',
                value: 'registry.slipway.dev/yard-planner',
                highlight: 'yard-planner',
                icon: <Package aria-hidden="true" />,
                note: 'Scans every image',
              },
              {
                key: 'url',
                label: 'URL',
                value: 'https://yard-planner.dev.slipway.dev',
                highlight: 'yard-planner',
                icon: <Globe aria-hidden="true" />,
                note: 'Company sign-in required',
              },
            ]}
          />
        </Panel>
      </Section>
      <Section title="What is being made">
        <div className="stack">
          <DurationBar value={0.52} size="lg" label="54 of about 105 seconds" />
          <Panel>
            <MadeList
              items={[
                {
                  key: 'repo',
                  label: 'Repository',
                  value: 'github.com/norrland-line/yard-planner',
                  state: 'completed',
                  href: '/repo',
                  time: '11 s',
                  note: 'First commit 9d03c7e',
                },
                {
                  key: 'service',
                  label: 'Service',
                  value: 'yard-planner',
                  state: 'running',
                  time: '38 s',
                  note: 'Revision 1: waiting for the first health check',
                },
                {
                  key: 'url',
                  label: 'URL',
                  value: 'https://yard-planner.dev.slipway.dev',
                  state: 'todo',
                  note: 'Opens when the service answers',
                },
              ]}
            />
          </Panel>
        </div>
      </Section>
    </>
  );
}
