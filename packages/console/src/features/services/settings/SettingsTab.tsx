/** The Settings tab of a service page: loads the form's data, and keeps edits separate from the saved settings. */
import { environmentOf } from '@slipway/contract/kernel/fields.ts';
import { revisionView } from '@slipway/contract/service/revision.ts';
import { serviceSettingsView, type ServiceSettingsView } from '@slipway/contract/service/service-operations.ts';
import { serviceChanges } from '@slipway/contract/service/settings-diff.ts';
import type { ServiceSettings } from '@slipway/contract/service/service-settings.ts';
import { serviceView, type Service } from '@slipway/contract/service/service.ts';
import { Loading } from '@slipway/ui/feedback/Loading.tsx';
import { Panel } from '@slipway/ui/layout/Panel.tsx';
import { Skeleton } from '@slipway/ui/feedback/Skeleton.tsx';
import { useEffect, useMemo, useState } from 'react';
import { useParams } from 'react-router';
import { isStatus } from '#kit/api/errors.ts';
import { useQuery } from '#kit/api/query.ts';
import { ListError } from '#kit/list/ListError.tsx';
import { useUrlState } from '#kit/state/url-state.ts';
import { factsOf } from './check.ts';
import { SettingsContext, useSettingsState, type SettingsPlace, type SettingsShared } from './settings-context.ts';
import { SettingsForm } from './SettingsForm.tsx';
import { ConflictNotice, FilledNotice, LockNotice, OfferNotice } from './SettingsNotices.tsx';
import { createSettingsStore, type SettingsStore } from './store.ts';
import { useKeptDraft } from './use-kept-draft.ts';
import { withFix } from './fix.ts';

/** `?from={revision}` fills in the form from a revision's snapshot. `?fix={path}:{value}` changes one value and opens the review. */
const defaults = { from: '', fix: '' };

const settingsOfView = ({ githubRepositoryName, active, spec }: ServiceSettings): ServiceSettings => ({
  githubRepositoryName,
  active,
  spec,
});

/** The settings that non-members may see: without variables and volumes, read-only. */
const outsideView = (service: Service): ServiceSettingsView => ({
  ...settingsOfView(service),
  settingsVersion: service.settingsVersion,
  secretGroups: [],
  imagePrefix: service.spec.containerImageName.replace(/[^/]*$/, ''),
  appliedBasePath: null,
  engine: { limits: 'enforced', spot: null, hasVaultProxy: false, isNetworkIsolated: true, insideHosts: [], warning: null },
  canEdit: 'NotAMember',
  pipelineId: null,
});

export function Component() {
  const { app = '', env: segment = '', service = '' } = useParams();
  const env = environmentOf(segment);
  if (env === undefined) return null;
  return <Settings key={`${app}/${env}/${service}`} place={{ app, env, service }} />;
}

function Settings({ place }: { place: SettingsPlace }) {
  const params = { ...place };
  const query = useQuery(serviceSettingsView, { params });
  const isOutside = isStatus(query.error, 403);
  const { data: service } = useQuery(serviceView, isOutside && { params });
  const { state } = useUrlState(defaults);
  const from = useQuery(revisionView, state.from !== '' && { params: { ...params, revision: state.from } }, { pollMs: 0 });
  const view = query.data ?? (isOutside && service ? outsideView(service) : undefined);
  if (query.error && !query.data && !isOutside) return <ListError what="settings" query={query} />;
  // Fills in the form only once, with or without the revision.
  if (!view || (state.from !== '' && !from.data && !from.error)) return <LoadingSettings />;
  return (
    <LoadedSettings
      place={place}
      view={view}
      isMember={!isOutside}
      onReload={() => void query.mutate()}
      fix={state.fix}
      {...(from.data ? { from: { name: from.data.name, spec: from.data.spec } } : {})}
    />
  );
}

function LoadingSettings() {
  return (
    <Loading
      isLoading
      label="settings"
      skeleton={
        <Panel aria-hidden="true">
          <Skeleton width={320} height={640} />
        </Panel>
      }
    >
      {null}
    </Loading>
  );
}

interface LoadedProps {
  place: SettingsPlace;
  view: ServiceSettingsView;
  isMember: boolean;
  onReload: () => void;
  from?: { name: string; spec: ServiceSettings['spec'] };
  fix: string;
}

function LoadedSettings({ place, view, isMember, onReload, from, fix }: LoadedProps) {
  const [store] = useState(() => {
    const made = createSettingsStore(settingsOfView(view), view.settingsVersion, factsOf(view));
    const spec = withFix(from?.spec ?? view.spec, fix);
    if (from || spec !== view.spec) made.fill(spec);
    return made;
  });
  useEffect(() => store.setFacts(factsOf(view)), [store, view]);
  const shared = useMemo<SettingsShared>(
    () => ({ place, view, store, isMember, isLocked: view.canEdit !== true }),
    [place, view, store, isMember],
  );
  return (
    <SettingsContext value={shared}>
      <SettingsScreen shared={shared} onReload={onReload} filledFrom={from?.name} isReviewed={fix !== ''} />
    </SettingsContext>
  );
}

/** Changes by others since the form was opened. Without local edits, the form just adopts them. */
const useConflict = (store: SettingsStore, view: ServiceSettingsView) => {
  const base = useSettingsState((state) => state.base);
  const changes = useSettingsState((state) => state.changes);
  const saved = settingsOfView(view);
  const theirs = serviceChanges(base, saved);
  const isMoved = view.settingsVersion !== store.get().version;
  const hasConflict = theirs.length > 0 && changes.length > 0;
  const follow = (): void => store.rebase(saved, view.settingsVersion);
  useEffect(() => {
    if ((theirs.length > 0 || isMoved) && !hasConflict) store.rebase(settingsOfView(view), view.settingsVersion);
  }, [theirs.length, isMoved, hasConflict, store, view]);
  const both = theirs.filter(({ path }) => changes.some((own) => own.path === path)).map(({ label }) => label);
  return hasConflict ? { theirs, both, follow } : undefined;
};

interface ScreenProps {
  shared: SettingsShared;
  onReload: () => void;
  filledFrom: string | undefined;
  isReviewed: boolean;
}

function SettingsScreen({ shared, onReload, filledFrom, isReviewed }: ScreenProps) {
  const { place, view, store, isLocked } = shared;
  const { offer, discard } = useKeptDraft(place, store);
  const conflict = useConflict(store, view);
  return (
    <SettingsForm onDiscard={discard} onConflict={onReload} isReviewed={isReviewed}>
      <div className="stack stack-8">
        <LockNotice />
        {filledFrom !== undefined && <FilledNotice revision={filledFrom} />}
        {offer && !isLocked && <OfferNotice offer={offer} />}
        {conflict && <ConflictNotice theirs={conflict.theirs} both={conflict.both} onContinue={conflict.follow} />}
      </div>
    </SettingsForm>
  );
}
