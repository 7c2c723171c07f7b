/** A service that has never run: how to provide its first image, by hand or from a repository, and then start its first pipeline. */
import { containerRegistryView } from '@slipway/contract/registry/project.ts';
import { serviceTagList, type Service } from '@slipway/contract/service/service.ts';
import { Button } from '@slipway/ui/form/Button.tsx';
import { CommandLine } from '@slipway/ui/text/CommandLine.tsx';
import { Link } from '@slipway/ui/layout/Link.tsx';
import { LinkButton } from '@slipway/ui/form/LinkButton.tsx';
import { Status } from '@slipway/ui/feedback/Status.tsx';
import { GitBranch } from 'lucide-react';
import { lazy, Suspense, useState } from 'react';
import { useQuery } from '#kit/api/query.ts';
import { runtimeConfig } from '#kit/api/runtime-config.ts';
import { reasonOf } from '#kit/error/messages.ts';
import { paths } from '#entities/paths.ts';
import css from './FirstImage.module.css';

const loadDialog = () => import('#features/services/dialogs/RepositoryDialog.tsx');
const RepositoryDialog = lazy(loadDialog);

/** No change event announces a push to the registry. */
const tagsPollMs = 5000;

export default function FirstImage({ service }: { service: Service }) {
  const { app, environment: env, name, spec } = service;
  const place = { app, env, service: name };
  const isMember = reasonOf(service.can, 'readLogs') === undefined;
  const tags = useQuery(serviceTagList, isMember && { params: place }, { pollMs: tagsPollMs, isAlwaysPolled: true });
  const newest = tags.data?.[0]?.tag;
  return (
    <div className={css.first}>
      <h3>Nothing runs yet</h3>
      <p className="quiet">A revision is an image together with the settings it runs with. Bring the first image, then run the pipeline.</p>
      <ol className={css.steps}>
        <li>
          <h4>Push an image</h4>
          <Login service={service} isMember={isMember} />
          <CommandLine command={`docker build -t ${spec.containerImageName}:first .`} />
          <p className="meta">
            Or with an image that you have: <code>docker tag IMAGE {spec.containerImageName}:first</code>
          </p>
          <CommandLine command={`docker push ${spec.containerImageName}:first`} />
          <FromRepository service={service} />
        </li>
        <li>
          <h4>Run the pipeline</h4>
          <p className="dense" role="status">
            {newest === undefined ? (
              <>
                <Status tone="off">No image yet.</Status> <span className="quiet">This page notices when one comes.</span>
              </>
            ) : (
              <>
                <Status tone="ok" isTinted>
                  {tags.data?.length === 1 ? 'One image' : `${tags.data?.length} images`}
                </Status>{' '}
                <span className="quiet">
                  The newest is <code>{newest}</code>.
                </span>
              </>
            )}
          </p>
          {newest !== undefined && (
            <div className="row">
              <LinkButton href={`${paths.service(place)}?run=pipeline`}>Choose the tag and run</LinkButton>
            </div>
          )}
        </li>
      </ol>
    </div>
  );
}

/** Includes the name of a robot account that may push, if there is one. */
function Login({ service: { app, environment: env }, isMember }: { service: Service; isMember: boolean }) {
  const { data } = useQuery(containerRegistryView, isMember && { params: { app, env } }, { pollMs: 0 });
  const robot = data?.robotAccounts.find(({ managedBy, permissions }) => managedBy === 'TEAM' && permissions.includes('repository:push'));
  return (
    <>
      <CommandLine command={`docker login ${runtimeConfig().registryHost} -u '${robot?.username ?? `robot$${app}+NAME`}'`} />
      <p className="meta">
        {robot ? 'Its secret was shown when it was made. ' : 'With a robot account of the app. '}
        <Link className="in" href={paths.containerRegistry({ app, env })}>
          {robot ? 'Create a new secret' : 'Create a robot account'}
        </Link>
      </p>
    </>
  );
}

function FromRepository({ service }: { service: Service }) {
  const [isOpen, setOpen] = useState(false);
  // Pushes deploy to development only. Production deploys an existing image.
  if (service.environment === 'production') return <p className="dense">Or deploy a tag that development has built.</p>;
  if (service.repositoryUrl !== null) {
    return (
      <>
        <p className="dense">
          Or push to <strong>{service.githubRepositoryName}</strong>: each push builds an image and deploys it.
        </p>
        <CommandLine command={`git clone ${service.repositoryUrl}`} />
      </>
    );
  }
  const reason = reasonOf(service.can, 'update');
  return (
    <div className="row row-wrap">
      <span className="dense">Or let pushes to a repository build it:</span>
      <Button
        size="sm"
        icon={<GitBranch aria-hidden="true" />}
        onPointerEnter={() => void loadDialog()}
        onClick={() => setOpen(true)}
        {...(reason === undefined ? {} : { disabledReason: reason })}
      >
        Connect to a repository
      </Button>
      {isOpen && (
        <Suspense fallback={null}>
          <RepositoryDialog service={service} onClose={() => setOpen(false)} />
        </Suspense>
      )}
    </div>
  );
}
