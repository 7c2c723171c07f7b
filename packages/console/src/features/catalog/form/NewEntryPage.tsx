/** Onboards an entry. Similar entries are found while the name is typed. */
import { entryKinds, type EntryKind } from '@slipway/contract/catalog/entry.ts';
import { catalogFuzzySearch, type CatalogMatch } from '@slipway/contract/catalog/fuzzy-search.ts';
import type { Me } from '@slipway/contract/identity.ts';
import { EmptyState } from '@slipway/ui/feedback/EmptyState.tsx';
import { Status } from '@slipway/ui/feedback/Status.tsx';
import { Checkbox } from '@slipway/ui/form/Checkbox.tsx';
import { LinkButton } from '@slipway/ui/form/LinkButton.tsx';
import { SegmentedLinks } from '@slipway/ui/form/Segmented.tsx';
import { KeyValue } from '@slipway/ui/layout/KeyValue.tsx';
import { Panel, PanelBody, PanelFoot, PanelHead } from '@slipway/ui/layout/Panel.tsx';
import { toast } from '@slipway/ui/overlay/toast.ts';
import { useDeferredValue, useState } from 'react';
import { useWatch } from 'react-hook-form';
import { useNavigate } from 'react-router';
import { paths } from '#entities/paths.ts';
import { useMe } from '#entities/team/me.ts';
import { call } from '#kit/api/call.ts';
import { useQuery } from '#kit/api/query.ts';
import { PageForm } from '#kit/form/PageForm.tsx';
import { useApiForm, type ApiForm } from '#kit/form/use-api-form.ts';
import { PlainPage } from '#kit/page/PlainPage.tsx';
import { useUrlState } from '#kit/state/url-state.ts';
import { entryLook } from '#features/catalog/catalog-labels.ts';
import { entryKindOf } from '@slipway/contract/catalog/entry-kind-of.ts';
import { entryOf } from '#features/catalog/entry-kinds.ts';
import { EntryFields } from './EntryFields.tsx';
import { bodyOf, emptyValues, entryLabels, entrySchema, serverFields, type EntryValues } from './entry-values.ts';
import css from './NewEntryPage.module.css';

const defaults = { kind: 'application', platform: '', portfolio: '' };
/** From this likeness on, the user confirms that it is none of these. */
const alikeFrom = 0.7;
const shortestName = 3;

export function Component() {
  const { state, hrefOf } = useUrlState(defaults);
  const { data: me } = useMe();
  const kind = entryKinds.find((one) => one === state.kind) ?? 'application';
  const word = entryKindOf[kind].subject.label.toLowerCase();
  return (
    <PlainPage
      name={`Onboard ${kind === 'application' ? 'an' : 'a'} ${word}`}
      title={[`Onboard ${word}`, 'Catalog']}
      lede="This takes about three minutes. An approver decides before the entry becomes active."
      className="stack stack-24"
    >
      <SegmentedLinks
        label="Kind of entry"
        items={entryKinds.map((one) => ({ label: entryKindOf[one].subject.label, href: hrefOf({ kind: one }), isCurrent: one === kind }))}
      />
      {me && <NewEntryForm key={kind} kind={kind} me={me} filled={{ platformId: state.platform, portfolioId: state.portfolio }} />}
    </PlainPage>
  );
}

function NewEntryForm({ kind, me, filled }: { kind: EntryKind; me: Me; filled: Partial<EntryValues> }) {
  const navigate = useNavigate();
  const [isNone, setNone] = useState(false);
  const form = useApiForm<EntryValues, EntryValues>({
    schema: entrySchema(kind),
    defaultValues: { ...emptyValues, owners: [me.id], ...filled },
    labels: entryLabels,
    serverFields,
    onSubmit: async (values) => {
      const { create } = entryKindOf[kind].routes;
      const answer = await call(create, { body: bodyOf(kind, values), headers: { source: 'CONSOLE' } } as never);
      const { id, name, status } = entryOf(kind, answer);
      toast.success(status === 'ACTIVE' ? `${name} is active` : `${name} waits for approval`);
      await navigate(paths.catalogEntry({ kind, id }));
    },
  });
  const { matches, isAlike } = useMatches(form, kind);
  return (
    <PageForm
      startsFocused
      form={form}
      label={`Onboard ${entryKindOf[kind].subject.label}`}
      submitLabel="Send for approval"
      busyLabel="Sending"
      cancelHref={paths.catalog()}
      disabledReason={
        isAlike && !isNone ? 'Look at the entries with almost the same name first, and confirm that it is none of these.' : undefined
      }
      aside={
        <div className="stack stack-24">
          <Matches kind={kind} matches={matches} isAlike={isAlike} isNone={isNone} onNone={setNone} />
          <Panel aria-labelledby="what-happens">
            <PanelHead title="What happens when you send it" titleId="what-happens" />
            <PanelBody>
              <KeyValue
                items={[
                  { label: 'Entry', value: 'Waits for approval; everyone sees it' },
                  { label: 'Request', value: 'To the approvers, due in 5 working days' },
                  ...(kind === 'application'
                    ? [{ label: 'After approval', value: 'An app can use the macId, and the scorecard starts' }]
                    : []),
                ]}
              />
            </PanelBody>
          </Panel>
        </div>
      }
    >
      <EntryFields form={form} kind={kind} people={[{ ...me, email: me.email, active: true }]} />
    </PageForm>
  );
}

const useMatches = (form: ApiForm<EntryValues>, kind: EntryKind) => {
  const name = useDeferredValue(useWatch({ control: form.control, name: 'name' }).trim());
  const isLongEnough = name.length >= shortestName;
  const found = useQuery(catalogFuzzySearch, isLongEnough && { query: { entity: kind, searchTerm: name } }, {
    keepPreviousData: true,
    pollMs: 0,
  });
  const matches = isLongEnough ? (found.data?.contents ?? []).slice(0, 5) : [];
  return { matches, isAlike: matches.some(({ score }) => score >= alikeFrom) };
};

interface MatchesProps {
  kind: EntryKind;
  matches: readonly CatalogMatch[];
  isAlike: boolean;
  isNone: boolean;
  onNone: (isNone: boolean) => void;
}

function Matches({ kind, matches, isAlike, isNone, onNone }: MatchesProps) {
  return (
    <Panel aria-labelledby="already-there">
      <PanelHead title="Already in the catalog?" titleId="already-there" />
      {matches.length === 0 ? (
        <EmptyState kind="first-use" title="Nothing similar yet">
          Entries with a similar name appear here while you type.
        </EmptyState>
      ) : (
        <ul className={css.matches} aria-live="polite">
          {matches.map((match) => (
            <li key={match.id}>
              <span className="row">
                <strong>{match.name}</strong>
                <code className="quiet">{match.id}</code>
                <span className="meta push">{Math.round(match.score * 100)} % alike</span>
              </span>
              <span className="row">
                {match.platformName !== '' && <span className="meta">{match.platformName}</span>}
                <Status tone={entryLook[match.status].tone}>{entryLook[match.status].word}</Status>
              </span>
              <p className="quiet dense">{match.description}</p>
              <span>
                <LinkButton size="sm" href={paths.catalogEntry({ kind, id: match.id })}>
                  This is it, open
                </LinkButton>
              </span>
            </li>
          ))}
        </ul>
      )}
      {isAlike && (
        <PanelFoot>
          <Checkbox label="It is none of these" checked={isNone} onChange={(event) => onNone(event.target.checked)} />
        </PanelFoot>
      )}
      {matches.length > 0 && !isAlike && (
        <PanelBody>
          <p className="meta">None is almost the same.</p>
        </PanelBody>
      )}
    </Panel>
  );
}
