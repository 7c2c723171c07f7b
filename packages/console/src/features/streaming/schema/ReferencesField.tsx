/** The schemas that the content references, each with version and reference name. */
import { schemaList, type SchemaType, type SchemaUse } from '@slipway/contract/streaming/schema.ts';
import { Combobox } from '@slipway/ui/form/Combobox.tsx';
import { Field } from '@slipway/ui/form/Field.tsx';
import { IconButton } from '@slipway/ui/form/IconButton.tsx';
import { Input } from '@slipway/ui/form/Input.tsx';
import { Select } from '@slipway/ui/form/Select.tsx';
import { Link } from '@slipway/ui/layout/Link.tsx';
import { X } from 'lucide-react';
import { paths } from '#entities/paths.ts';
import { useQuery } from '#kit/api/query.ts';
import type { EventsPlace } from '#features/streaming/use-place.ts';
import css from './ReferencesField.module.css';
import { nameHints, usualName } from './schema-uses.ts';

export interface ReferencesFieldProps {
  place: EventsPlace;
  /** The content can reference only schemas of the same type. */
  type: SchemaType;
  /** The schema itself, which is not offered. */
  own?: string;
  uses: readonly SchemaUse[];
  onChange: (uses: readonly SchemaUse[]) => void;
  isReadOnly?: boolean;
}

const offered = 100;
const mostVersions = 50;
const versionsTo = (newest: number) =>
  Array.from({ length: Math.min(newest, mostVersions) }, (_, back) => ({
    value: String(newest - back),
    label: `Version ${newest - back}`,
  }));

export function ReferencesField({ place, type, own, uses, onChange, isReadOnly = false }: ReferencesFieldProps) {
  const { data } = useQuery(schemaList, { params: { ...place }, query: { size: offered, readyOnly: 'true' } });
  const known = data?.content ?? [];
  const rest = known.filter((schema) => schema.type === type && schema.name !== own && !uses.some((use) => use.resourceId === schema.id));
  const add = (id: string | null): void => {
    const schema = rest.find((one) => one.id === id);
    if (schema) onChange([...uses, { name: usualName(schema), resourceId: schema.id, revisionId: schema.revisionId ?? 1 }]);
  };
  const change = (index: number, patch: Partial<SchemaUse>): void =>
    onChange(uses.map((use, at) => (at === index ? { ...use, ...patch } : use)));
  return (
    <div className="stack stack-12">
      {uses.length > 0 && (
        <ul className={css.uses} aria-label="References">
          {uses.map(({ name, resourceId, revisionId = 1 }, index) => {
            const schema = known.find(({ id }) => id === resourceId);
            const label = schema?.name ?? resourceId;
            return (
              <li key={resourceId}>
                <Link className="ell" href={paths.schema({ ...place, schema: label })}>
                  {label}
                </Link>
                <Select
                  aria-label={`Version of ${label}`}
                  options={versionsTo(Math.max(schema?.revisionId ?? 1, revisionId))}
                  value={String(revisionId)}
                  onChange={(version) => change(index, { revisionId: Number(version) })}
                  isReadOnly={isReadOnly}
                />
                <Input
                  aria-label={`Name of ${label} in the content`}
                  isMono
                  value={name}
                  readOnly={isReadOnly}
                  spellCheck={false}
                  onChange={(event) => change(index, { name: event.target.value })}
                />
                {!isReadOnly && (
                  <IconButton
                    label={`Remove the reference to ${label}`}
                    size="sm"
                    variant="quiet"
                    icon={<X aria-hidden="true" />}
                    onClick={() => onChange(uses.filter((_, at) => at !== index))}
                  />
                )}
              </li>
            );
          })}
        </ul>
      )}
      {!isReadOnly && (
        <Field
          label="Add a reference"
          labelNote="optional"
          hint={uses.length > 0 ? `Its name in the content: ${nameHints[type]}` : undefined}
        >
          <Combobox
            value={null}
            onChange={add}
            options={rest.map(({ id, name, revisionId }) => ({ value: id, label: name, note: `version ${revisionId ?? '–'}` }))}
            isLoading={!data}
            searchLabel="Search schemas"
            emptyText="No other schema of this type in this app"
            placeholder="Choose a schema"
          />
        </Field>
      )}
      {isReadOnly && uses.length === 0 && <p className="dense quiet">It builds on no other schema.</p>}
    </div>
  );
}
