/** Filters of the activity log, kept in the URL. On narrow screens all but text and level are behind a button. */
import { activityLevels, type ActivityPage } from '@slipway/contract/activity.ts';
import { serviceList } from '@slipway/contract/service/service.ts';
import { Button } from '@slipway/ui/form/Button.tsx';
import { classNames } from '@slipway/ui/class-names.ts';
import { Combobox } from '@slipway/ui/form/Combobox.tsx';
import { Field } from '@slipway/ui/form/Field.tsx';
import { Input } from '@slipway/ui/form/Input.tsx';
import { SearchInput } from '@slipway/ui/form/SearchInput.tsx';
import { Segmented } from '@slipway/ui/form/Segmented.tsx';
import { SlidersHorizontal } from 'lucide-react';
import { useState, type ReactNode } from 'react';
import { useQuery } from '#kit/api/query.ts';
import { levelLook } from '#entities/status.ts';
import { type UrlStateControl, useSearchText } from '#kit/state/url-state.ts';
import { filterCount, noFilter, type ActivityState } from './activity-filter.ts';
import { activityReasonName, activityTypeName, subjectLabel } from './activity-labels.ts';
import css from './ActivityLog.module.css';
import { aboutOf, type ActivityScope } from './use-activity.ts';

const levels = [{ value: '', label: 'All' }, ...activityLevels.map((level) => ({ value: level, label: levelLook[level].word }))];
const servicesOffered = 100;

interface FiltersProps {
  scope: ActivityScope;
  control: UrlStateControl<ActivityState>;
  facets: ActivityPage['facets'] | undefined;
  /** Actions on the filtered entries, at the right. */
  children?: ReactNode;
}

export function ActivityFilters({ scope, control: { state, set }, facets, children }: FiltersProps) {
  const [text, setText] = useSearchText(state.query, (query) => set({ query }, { replace: true }));
  const further = filterCount({ ...state, query: '', level: '' });
  const [isOpen, setOpen] = useState(further > 0);
  return (
    <div className="stack stack-12">
      <div className="row row-wrap">
        <SearchInput className={css.search} hasShortcut label="Filter by message" value={text} onChange={setText} />
        <Segmented label="Level" options={levels} value={state.level} onChange={(level) => set({ level })} />
        <span className={classNames('row push', css.tools)}>
          <Button icon={<SlidersHorizontal aria-hidden="true" />} aria-expanded={isOpen} onClick={() => setOpen(!isOpen)}>
            {further === 0 ? 'More filters' : `More filters (${further})`}
          </Button>
          {children}
        </span>
      </div>
      {isOpen && <FurtherFilters scope={scope} state={state} set={set} facets={facets} />}
    </div>
  );
}

function FurtherFilters({ scope, state, set, facets }: Omit<FiltersProps, 'control'> & Pick<FiltersProps['control'], 'state' | 'set'>) {
  const choice = (name: 'type' | 'reason' | 'actor' | 'service' | 'subject') => ({
    value: state[name],
    onChange: (value: string) => set({ [name]: value }),
  });
  return (
    <fieldset className={css.filters}>
      <legend className="sr">More filters</legend>
      <Choice label="Type" none="Any type" {...choice('type')} options={facets?.types.map((type) => [type, activityTypeName(type)])} />
      <Choice
        label="Reason"
        none="Any reason"
        {...choice('reason')}
        options={facets?.reasons.map((reason) => [reason, activityReasonName(reason)])}
      />
      <Choice label="Who" none="Anybody" {...choice('actor')} options={facets?.actors.map(({ id, displayName }) => [id, displayName])} />
      {aboutOf(scope) === undefined && (
        <Choice
          label="About"
          none="Anything"
          {...choice('subject')}
          options={facets?.subjects.map((subject) => [subject.key, subjectLabel(subject)])}
        />
      )}
      {'app' in scope && aboutOf(scope) === undefined && <ServiceChoice scope={scope} {...choice('service')} />}
      {'isPlatform' in scope && (
        <>
          <Id label="Team" value={state.team} onChange={(team) => set({ team })} />
          <Id label="App" value={state.app} onChange={(app) => set({ app })} />
          <Id label="Trace id" value={state.trace} onChange={(trace) => set({ trace: trace.trim().toLowerCase() })} />
        </>
      )}
      <Day label="From" value={state.from} onChange={(from) => set({ from })} />
      <Day label="To" value={state.to} onChange={(to) => set({ to })} />
      <Button variant="quiet" className={css.clear} onClick={() => set(noFilter)}>
        Clear
      </Button>
    </fieldset>
  );
}

interface ChoiceProps {
  label: string;
  /** Label of the empty choice. */
  none: string;
  value: string;
  onChange: (value: string) => void;
  options: (readonly [value: string, label: string])[] | undefined;
}

function Choice({ label, none, value, onChange, options = [] }: ChoiceProps) {
  return (
    <Field label={label} className={css.filter}>
      <Combobox
        searchLabel={`Search: ${label.toLowerCase()}`}
        value={value}
        onChange={(next) => onChange(next ?? '')}
        options={[{ value: '', label: none }, ...options.map(([of, words]) => ({ value: of, label: words }))]}
      />
    </Field>
  );
}

function ServiceChoice({ scope, ...rest }: { scope: { app: string; env: string } } & Pick<ChoiceProps, 'value' | 'onChange'>) {
  const { data } = useQuery(serviceList, { params: { app: scope.app, env: scope.env }, query: { size: servicesOffered } }, { pollMs: 0 });
  return <Choice label="Service" none="Any service" options={data?.content.map(({ name }) => [name, name])} {...rest} />;
}

function Id({ label, value, onChange }: { label: string; value: string; onChange: (value: string) => void }) {
  const [text, setText] = useSearchText(value, onChange);
  return (
    <Field label={label} className={css.filter}>
      <Input value={text} placeholder="Any" onChange={(event) => setText(event.target.value)} />
    </Field>
  );
}

/** A date filter. A time in the URL is shown as its day. */
function Day({ label, value, onChange }: { label: string; value: string; onChange: (value: string) => void }) {
  return (
    <Field label={label} className={css.filter}>
      <Input type="date" value={value.slice(0, 10)} onChange={(event) => onChange(event.target.value)} />
    </Field>
  );
}
