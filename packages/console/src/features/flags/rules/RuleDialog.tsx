/** One rule: what it answers, for whom, for which share, and when. The page saves it with the other rules. */
import { ruleFault, type FlagRule } from '@slipway/contract/flag/flag-rule.ts';
import { flagList, type Flag } from '@slipway/contract/flag/flag.ts';
import { flagGroupList } from '@slipway/contract/flag/flag-group.ts';
import { isRecord } from '@slipway/contract/kernel/is-record.ts';
import { Notice } from '@slipway/ui/feedback/Notice.tsx';
import { Button } from '@slipway/ui/form/Button.tsx';
import { Checkbox } from '@slipway/ui/form/Checkbox.tsx';
import { Field } from '@slipway/ui/form/Field.tsx';
import { IconButton } from '@slipway/ui/form/IconButton.tsx';
import { Input } from '@slipway/ui/form/Input.tsx';
import { NumberField } from '@slipway/ui/form/NumberField.tsx';
import { Select } from '@slipway/ui/form/Select.tsx';
import { Switch } from '@slipway/ui/form/Switch.tsx';
import { Dialog } from '@slipway/ui/overlay/Dialog.tsx';
import { Trash2 } from 'lucide-react';
import { useState } from 'react';
import { PersonSearch } from '#entities/team/PersonSearch.tsx';
import { useQuery } from '#kit/api/query.ts';
import { instantOf, localText } from '#kit/form/local-time.ts';
import { messageFor } from '#kit/error/messages.ts';
import css from '../Flags.module.css';
import { JsonField, ValueField } from './ValueField.tsx';

const effects = [
  { value: 'SERVE', label: 'Answer with one value' },
  { value: 'SPLIT', label: 'Split between values' },
  { value: 'REQUIRE', label: 'Require other flags, or stop here' },
] as const;

interface RuleDialogProps {
  app: string;
  flag: Flag;
  rule: FlagRule;
  onClose: () => void;
  onDone: (rule: FlagRule) => void;
}
type Change = (part: Partial<FlagRule>) => void;

export function RuleDialog({ app, flag, rule: start, onClose, onDone }: RuleDialogProps) {
  const [rule, setRule] = useState(start);
  const [fault, setFault] = useState<string>();
  const change: Change = (part) => setRule((now) => ({ ...now, ...part }));
  const done = () => {
    const [, code] = ruleFault(flag.type, [rule]) ?? [];
    setFault(code && messageFor(code, { type: flag.type.toLowerCase() }));
    if (code === undefined) onDone(rule);
  };
  return (
    <Dialog
      isOpen
      onClose={onClose}
      title={flag.production.rules.concat(flag.development.rules).some(({ id }) => id === rule.id) ? 'Edit rule' : 'New rule'}
      actions={
        <>
          <Button onClick={onClose}>Cancel</Button>
          <Button variant="primary" onClick={done}>
            Use this rule
          </Button>
        </>
      }
      footNote="Nothing changes for clients until you save the flag."
    >
      <div className="stack">
        {fault !== undefined && (
          <Notice tone="bad" isLive>
            {fault}
          </Notice>
        )}
        <Field label="Note" labelNote="optional">
          <Input value={rule.description} maxLength={200} onChange={(event) => change({ description: event.target.value })} />
        </Field>
        <Switch label="Enabled" checked={rule.enabled} onChange={(event) => change({ enabled: event.target.checked })} />
        <Field label="What it does">
          <Select options={[...effects]} value={rule.effect} onChange={(effect) => change({ effect })} />
        </Field>
        {rule.effect === 'SERVE' && (
          <ValueField label="Value" type={flag.type} value={rule.value} onChange={(value) => change({ value })} />
        )}
        {rule.effect === 'SPLIT' && <Variations flag={flag} rule={rule} change={change} />}
        <Prerequisites app={app} flag={flag} rule={rule} change={change} />
        {rule.effect !== 'REQUIRE' && <Audience app={app} rule={rule} change={change} />}
        <Schedule rule={rule} change={change} />
      </div>
    </Dialog>
  );
}

function Variations({ flag, rule, change }: { flag: Flag; rule: FlagRule; change: Change }) {
  const set = (at: number, part: Partial<FlagRule['variations'][number]>) =>
    change({ variations: rule.variations.map((one, index) => (index === at ? { ...one, ...part } : one)) });
  return (
    <>
      {rule.variations.map(({ value, share }, at) => (
        // oxlint-disable-next-line react/no-array-index-key -- variations have no other identity than their place
        <div key={at} className={css.pair}>
          <ValueField label={`Value ${at + 1}`} type={flag.type} value={value} onChange={(next) => set(at, { value: next })} />
          <Field label={`Share ${at + 1}`}>
            <NumberField value={share} min={0} max={100} unit="%" onChange={(next) => set(at, { share: next ?? 0 })} />
          </Field>
          <IconButton
            label={`Remove value ${at + 1}`}
            icon={<Trash2 aria-hidden="true" />}
            onClick={() => change({ variations: rule.variations.filter((_, index) => index !== at) })}
          />
        </div>
      ))}
      <div>
        <Button
          size="sm"
          {...(rule.variations.length >= 10 ? { disabledReason: 'At most 10 values' } : {})}
          onClick={() =>
            change({
              variations: [...rule.variations, { name: '', value: flag.production.value, share: rule.variations.length < 2 ? 50 : 0 }],
            })
          }
        >
          Add a value
        </Button>
      </div>
    </>
  );
}

function Prerequisites({ app, flag, rule, change }: { app: string; flag: Flag; rule: FlagRule; change: Change }) {
  const flags = useQuery(flagList, { params: { app }, query: { size: 100, state: 'ACTIVE' } });
  const others = (flags.data?.content ?? []).filter(({ name }) => name !== flag.name);
  return (
    <>
      {rule.prerequisites.map((needed, at) => {
        const set = (part: Partial<typeof needed>) =>
          change({ prerequisites: rule.prerequisites.map((one, index) => (index === at ? { ...one, ...part } : one)) });
        const type = others.find(({ name }) => name === needed.flag)?.type ?? 'BOOLEAN';
        return (
          // oxlint-disable-next-line react/no-array-index-key -- prerequisites have no other identity than their place
          <div key={at} className={css.pair}>
            <Field label={`Flag ${at + 1}`}>
              <Select
                options={others.map(({ name }) => ({ value: name, label: name }))}
                value={needed.flag}
                onChange={(name) =>
                  set({ flag: name, value: others.find((one) => one.name === name)?.production.value === false ? true : needed.value })
                }
              />
            </Field>
            <ValueField
              key={needed.flag}
              label={`Must be ${at + 1}`}
              type={type}
              value={needed.value}
              onChange={(value) => set({ value })}
            />
            <IconButton
              label={`Remove prerequisite ${at + 1}`}
              icon={<Trash2 aria-hidden="true" />}
              onClick={() => change({ prerequisites: rule.prerequisites.filter((_, index) => index !== at) })}
            />
          </div>
        );
      })}
      <div>
        <Button
          size="sm"
          {...(others.length === 0 ? { disabledReason: 'The app has no other flag' } : {})}
          onClick={() => change({ prerequisites: [...rule.prerequisites, { flag: others[0]?.name ?? '', value: true }] })}
        >
          Add a prerequisite
        </Button>
      </div>
    </>
  );
}

const words = (text: string): string[] =>
  text
    .split(/[\s,]+/)
    .map((one) => one.trim())
    .filter((one) => one !== '');

function Audience({ app, rule, change }: { app: string; rule: FlagRule; change: Change }) {
  const groups = useQuery(flagGroupList, { params: { app }, query: { size: 100 } });
  const [people, setPeople] = useState(rule.people.join(', '));
  const [teams, setTeams] = useState(rule.teams.join(', '));
  const setList = (text: string) => {
    setPeople(text);
    change({ people: words(text) });
  };
  return (
    <>
      <PersonSearch
        label="Add a person"
        taken={new Set(rule.people)}
        emptyText="Nobody matches"
        onAdd={({ id }) => setList([...rule.people, id].join(', '))}
      />
      <Field label="People" labelNote="optional" hint="Values of the attribute id, with commas between.">
        <Input value={people} spellCheck={false} onChange={(event) => setList(event.target.value)} />
      </Field>
      <Field label="Teams" labelNote="optional" hint="Values of the attribute teams, with commas between.">
        <Input
          value={teams}
          spellCheck={false}
          onChange={(event) => {
            setTeams(event.target.value);
            change({ teams: words(event.target.value) });
          }}
        />
      </Field>
      {groups.data && groups.data.content.length > 0 && (
        <Field label="Saved groups" isGroup>
          {groups.data.content.map(({ name }) => (
            <Checkbox
              key={name}
              label={name}
              checked={rule.groups.some(({ group }) => group === name)}
              onChange={(event) =>
                change({
                  groups: event.target.checked
                    ? [...rule.groups, { group: name, isIn: true }]
                    : rule.groups.filter(({ group }) => group !== name),
                })
              }
            />
          ))}
        </Field>
      )}
      <JsonField
        label="Condition"
        hint='On further attributes, as GrowthBook writes it: { "country": { "$in": ["NO", "SE"] } }'
        value={rule.condition}
        onChange={(value) => isRecord(value) && change({ condition: value })}
      />
      <Field label="Share of them" hint="By the attribute id, so a person keeps the answer while the share grows.">
        <NumberField
          value={rule.percentage}
          min={0}
          max={100}
          unit="%"
          onChange={(next) => change({ percentage: Math.min(100, Math.max(0, next ?? 100)) })}
        />
      </Field>
    </>
  );
}

function Schedule({ rule, change }: { rule: FlagRule; change: Change }) {
  return (
    <div className={css.two}>
      <Field label="Starts" labelNote="optional">
        <Input
          type="datetime-local"
          value={localText(rule.startsAt)}
          onChange={(event) => change({ startsAt: instantOf(event.target.value) })}
        />
      </Field>
      <Field label="Ends" labelNote="optional">
        <Input
          type="datetime-local"
          value={localText(rule.endsAt)}
          onChange={(event) => change({ endsAt: instantOf(event.target.value) })}
        />
      </Field>
    </div>
  );
}
