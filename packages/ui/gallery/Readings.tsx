// Quantities and time: now strip, gauges, the timeline of revisions.
import { KeyRound, SlidersHorizontal } from 'lucide-react';
import { InstanceDots } from '../src/figures/InstanceDots.tsx';
import { Draft, DraftNote, DraftRow } from '../src/form/Draft.tsx';
import { Gauge } from '../src/figures/Gauge.tsx';
import { MetricRow } from '../src/figures/MetricRow.tsx';
import { Panel, PanelBody, PanelHead } from '../src/layout/Panel.tsx';
import { Segmented } from '../src/form/Segmented.tsx';
import { Spark } from '../src/figures/Spark.tsx';
import { Status } from '../src/feedback/Status.tsx';
import { Section } from './Section.tsx';

/** A made-up but steady curve, so that pictures of the gallery can be compared. */
function wave(level: number, swing: number, hole?: [number, number]): (number | null)[] {
  return Array.from({ length: 60 }, (_, index) => {
    if (hole && index >= hole[0] && index < hole[1]) return null;
    return level + swing * (Math.sin(index / 4) + Math.sin(index * 1.7) * 0.4);
  });
}

const minute = (index: number) => `14:${String(index).padStart(2, '0')}`;

function Reading() {
  return (
    <MetricRow
      label="Now, last hour"
      readings={[
        {
          label: 'Instances',
          note: 'wanted 3',
          value: '3 of 3',
          unit: 'and 2 of 3 new',
          chart: <InstanceDots berths={['ready', 'ready', 'ready', 'new', 'new', 'starting', 'empty']} />,
        },
        {
          label: 'Requests',
          note: '1 h',
          value: '412',
          unit: 'per min',
          href: '/m1',
          isEdge: true,
          chart: (
            <Spark label="Requests" values={wave(400, 30)} format={(v) => `${v.toFixed(0)} per min`} timeOf={minute} markers={[0.12]} />
          ),
        },
        {
          label: 'Errors',
          note: '5xx',
          value: '0.12',
          unit: '%',
          href: '/m2',
          isEdge: true,
          chart: <Spark label="Errors" values={wave(0.1, 0.05)} format={(v) => `${v.toFixed(2)} %`} timeOf={minute} />,
        },
        {
          label: 'p95',
          note: 'target 250 ms',
          value: '184',
          unit: 'ms',
          href: '/m3',
          isEdge: true,
          chart: <Spark label="p95" values={wave(180, 25, [20, 30])} format={(v) => `${v.toFixed(0)} ms`} timeOf={minute} atLeast={250} />,
        },
        {
          label: 'Memory',
          note: 'of 768 MB',
          value: '388',
          unit: 'MB each',
          href: '/m4',
          isEdge: true,
          chart: <Spark label="Memory" values={wave(388, 8)} format={(v) => `${v.toFixed(0)} MB`} timeOf={minute} atLeast={768} />,
        },
      ]}
    />
  );
}

export function Readings() {
  return (
    <>
      <Section title="Now" width="full">
        <Reading />
      </Section>
      <Section title="Revisions and changes" width="full">
        <Panel>
          <PanelHead title="Revisions and changes" level={3}>
            <Segmented
              label="What to show"
              value="all"
              onChange={() => undefined}
              options={[
                { value: 'all', label: 'Everything' },
                { value: 'deploys', label: 'Deploys' },
                { value: 'settings', label: 'Settings' },
              ]}
            />
          </PanelHead>
          <Draft label="Revisions and changes">
            <DraftRow
              number={35}
              kind="taking"
              title="2026.11.20-4f2c9e1"
              href="/35"
              summary="Deploy by Ingrid Solheim · “Snap arrivals to the tide window”"
              status={
                <Status tone="run" isTinted>
                  Taking over
                </Status>
              }
              time="48 s ago"
            />
            <DraftRow
              number={34}
              kind="serving"
              title="2026.11.18-b81d07a"
              href="/34"
              summary="Serves 100 % of traffic · 3 of 3 ready · up 53 min"
              status={
                <Status tone="ok" isTinted>
                  Healthy
                </Status>
              }
              time="53 min ago"
            />
            <DraftNote icon={<SlidersHorizontal aria-hidden="true" />} time="53 min ago">
              Memory 512 → 768 MB, made revision 34 · Rahul Deshmukh
            </DraftNote>
            <DraftRow
              number={33}
              title="2026.11.18-b81d07a"
              href="/33"
              summary="Rollback to 31 · “Timeouts towards tide-sync” · Rahul Deshmukh"
              status={
                <Status tone="off" isTinted>
                  Disabled
                </Status>
              }
              time="yesterday 16:20"
            />
            <DraftNote icon={<KeyRound aria-hidden="true" />} time="yesterday 11:37">
              berth-planner-db version 9 attached · Ingrid Solheim
            </DraftNote>
            <DraftRow
              number={32}
              title="2026.11.19-3da9f10"
              href="/32"
              summary="Deploy by ci-berth-planner · served for 14 min"
              status={
                <Status tone="bad" isTinted>
                  Failed
                </Status>
              }
              time="yesterday 16:02"
            />
          </Draft>
        </Panel>
      </Section>
      <Section title="Gauges">
        <Panel>
          <PanelBody className="stack stack-8">
            <Gauge label="CPU 212 of 500 m" value={212} of={500}>
              212 m
            </Gauge>
            <Gauge label="Memory 700 of 768 MB" value={700} of={768}>
              700 MB
            </Gauge>
            <Gauge label="Memory 431 of 1024 MB, limit 768 MB" value={431} of={1024} limit={768}>
              431 MB
            </Gauge>
          </PanelBody>
        </Panel>
      </Section>
    </>
  );
}
