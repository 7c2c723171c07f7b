// Fields and choices, with the states a form gives them.
import { useState } from 'react';
import { Button } from '../src/form/Button.tsx';
import { Checkbox } from '../src/form/Checkbox.tsx';
import { Combobox } from '../src/form/Combobox.tsx';
import { Field } from '../src/form/Field.tsx';
import { FormGroup, FormRow } from '../src/form/FormGroup.tsx';
import { Gauge } from '../src/figures/Gauge.tsx';
import { Input } from '../src/form/Input.tsx';
import { StatusIcon } from '../src/feedback/StatusIcon.tsx';
import { NumberField } from '../src/form/NumberField.tsx';
import { Panel, PanelBody } from '../src/layout/Panel.tsx';
import { RadioCards } from '../src/form/RadioCards.tsx';
import { Savebar } from '../src/form/Savebar.tsx';
import { SearchInput } from '../src/form/SearchInput.tsx';
import { SectionNav } from '../src/layout/SectionNav.tsx';
import { Segmented } from '../src/form/Segmented.tsx';
import { Select } from '../src/form/Select.tsx';
import { Switch } from '../src/form/Switch.tsx';
import { Textarea } from '../src/form/Textarea.tsx';
import { Section } from './Section.tsx';

const REGIONS = [
  { value: 'weu', label: 'West Europe', note: '12 ms' },
  { value: 'neu', label: 'North Europe', note: '31 ms' },
  { value: 'use', label: 'East US', disabledReason: 'not for your team' },
];
const TAGS = [
  { value: '4f2', label: '2026.11.20-4f2c9e1', note: 'main, 6 min ago' },
  { value: '3da', label: '2026.11.19-3da9f10', note: 'failed yesterday' },
  { value: 'b81', label: '2026.11.18-b81d07a', note: 'serves now' },
];
const TEMPLATES = [
  { value: 'api', label: 'HTTP API', tag: 'node-http-api', note: 'Node 24, health check, OpenAPI page' },
  { value: 'web', label: 'Web page', tag: 'node-web', note: 'Server-rendered page with company sign-in' },
  { value: 'worker', label: 'Worker', tag: 'node-worker', disabledReason: 'Your team has no topic yet' },
];
const SECTIONS = [
  { label: 'General', href: '#general' },
  { label: 'Resource management', href: '#res', isCurrent: true, count: 2, countKind: 'change' as const },
  { label: 'Environment variables', href: '#env', count: 1, countKind: 'change' as const },
  { label: 'Health', href: '#health', count: 1, countKind: 'error' as const },
];

function Fields() {
  const [port, setPort] = useState<number | null>(8080);
  const [memory, setMemory] = useState<number | null>(1024);
  const [region, setRegion] = useState('weu');
  const [tag, setTag] = useState<string | null>('4f2');
  return (
    <Panel>
      <PanelBody className="pair">
        <Field label="Port" hint="The port the container listens on.">
          <NumberField value={port} onChange={setPort} />
        </Field>
        <Field label="Memory" was="was 768 MB, now 1 GB">
          <NumberField value={memory} onChange={setMemory} unit="MB" />
        </Field>
        <Field label="Service name" error="Service name must start with application name">
          <Input defaultValue="planner-api" />
        </Field>
        <Field label="Base path" hint="Cannot change once applied.">
          <Input defaultValue="/berths" readOnly />
        </Field>
        <Field label="Region">
          <Select options={REGIONS} value={region} onChange={setRegion} />
        </Field>
        <Field label="Image tag" labelNote="newest first">
          <Combobox options={TAGS} value={tag} onChange={setTag} searchLabel="Search image tags" isMono />
        </Field>
        <Field label="Homepage">
          <Input lead="https://" defaultValue="slipway.dev" />
        </Field>
        <Field label="Description" labelNote="optional">
          <Textarea rows={2} placeholder="What is it for?" />
        </Field>
        <Switch label="Company sign-in" defaultChecked />
        <Switch label="Debug endpoint" />
      </PanelBody>
    </Panel>
  );
}

function Choices() {
  const [template, setTemplate] = useState('api');
  const [mode, setMode] = useState('cpu');
  const [query, setQuery] = useState('');
  return (
    <Panel>
      <PanelBody className="stack">
        <SearchInput label="Filter 12 apps by name, team or macId" value={query} onChange={setQuery} hasShortcut />
        <RadioCards legend="Template" options={TEMPLATES} value={template} onChange={setTemplate} />
        <Field label="Replicas" isGroup was="was Fixed, 3 replicas">
          <Segmented
            label="How many replicas"
            value={mode}
            onChange={setMode}
            options={[
              { value: 'fixed', label: 'Fixed' },
              { value: 'cpu', label: 'By CPU load' },
            ]}
          />
        </Field>
        <fieldset>
          <legend className="meta strong">In production</legend>
          <Checkbox label="Failing" mark={<StatusIcon tone="bad" />} count={1} defaultChecked />
          <Checkbox label="Healthy" mark={<StatusIcon tone="ok" />} count={10} />
          <Checkbox label="All teams" isIndeterminate />
          <Checkbox label="Not for you" disabled />
        </fieldset>
      </PanelBody>
    </Panel>
  );
}

function Settings() {
  const [cpu, setCpu] = useState<number | null>(500);
  const [idle, setIdle] = useState<number | null>(null);
  const [isOpen, setOpen] = useState(true);
  return (
    <div className="split split-settings">
      <SectionNav label="Settings sections" items={SECTIONS} />
      <FormGroup title="Resource management" id="res">
        <FormRow
          help={
            <>
              What each instance may use. The bar shows the peak of the last 7 days; the tick is the limit of today.
              <div className="stack stack-8">
                <Gauge label="Memory: peak 42 percent of 1 GB" value={431} of={1024} limit={768}>
                  42 %
                </Gauge>
              </div>
            </>
          }
        >
          <Field label="CPU" hint="500 m = 0.5 CPU">
            <NumberField value={cpu} onChange={setCpu} unit="m" />
          </Field>
        </FormRow>
        <FormRow help="Left empty, the service always runs.">
          <Field label="Stop when idle">
            <NumberField value={idle} onChange={setIdle} placeholder="Never" unit="days without a request" />
          </Field>
        </FormRow>
      </FormGroup>
      <Savebar
        count={isOpen ? 3 : 0}
        summary="Memory, Replicas, TIDE_TIMEOUT_MS"
        error={{ label: '1 error in Health', href: '#health' }}
        actions={
          <>
            <Button variant="quiet" onClick={() => setOpen(false)}>
              Discard
            </Button>
            <Button variant="primary">Review</Button>
          </>
        }
      />
    </div>
  );
}

export function Forms() {
  return (
    <>
      <Section title="Fields">
        <Fields />
      </Section>
      <Section title="Choices">
        <Choices />
      </Section>
      <Section title="Settings" width="full">
        <Settings />
      </Section>
    </>
  );
}
