/** The Secrets manager of an app: groups of one environment, comparison of environments, and auto-attach settings. */
import { SegmentedLinks } from '@slipway/ui/form/Segmented.tsx';
import { useLocation } from 'react-router';
import { NewLink } from '#kit/list/NewLink.tsx';
import { paths } from '#entities/paths.ts';
import { useUrlState } from '#kit/state/url-state.ts';
import { AutoAttachPanel } from './AutoAttachPanel.tsx';
import { EnvironmentGrid } from './EnvironmentGrid.tsx';
import { GroupList } from './GroupList.tsx';
import { SecretsNoRight } from '#features/secrets/SecretsNoRight.tsx';
import { useAppPlace } from '#entities/team/use-app-place.ts';

const defaults = { view: '' };

export function Component() {
  const { app, env, createReason, isMember, noRight } = useAppPlace();
  const isSettings = useLocation().pathname === paths.secretSettings({ app });
  const { state } = useUrlState(defaults);
  const view = isSettings ? 'settings' : state.view === 'compare' ? 'compare' : 'groups';
  if (env === undefined) return null;
  if (isMember === false) return <SecretsNoRight noRight={noRight} />;
  const place = { app, env };
  return (
    <div className="stack stack-12">
      <div className="row row-wrap">
        <SegmentedLinks
          label="Secrets manager"
          items={[
            { label: 'Groups', href: paths.secretGroups(place), isCurrent: view === 'groups' },
            { label: 'Compare', href: `${paths.secretGroups(place)}?view=compare`, isCurrent: view === 'compare' },
            { label: 'Settings', href: paths.secretSettings({ app }), isCurrent: view === 'settings' },
          ]}
        />
        {view === 'groups' && (
          <NewLink className="push" label="New secret group" href={paths.newSecretGroup(place)} reason={createReason} />
        )}
      </div>
      {view === 'groups' && <GroupList place={place} isAsked={isMember === true} reason={createReason} noRight={noRight} />}
      {isMember && view === 'compare' && <EnvironmentGrid app={app} noRight={noRight} />}
      {isMember && view === 'settings' && <AutoAttachPanel app={app} />}
    </div>
  );
}
