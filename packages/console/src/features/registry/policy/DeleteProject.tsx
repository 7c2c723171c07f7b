/** Deletes a registry project after the user types its name. Possible only if no service uses the project. */
import { containerRegistryDelete, type ContainerRegistry } from '@slipway/contract/registry/project.ts';
import { Button } from '@slipway/ui/form/Button.tsx';
import { FormGroup, FormRow } from '@slipway/ui/form/FormGroup.tsx';
import { Link } from '@slipway/ui/layout/Link.tsx';
import { bytes } from '@slipway/ui/format/bytes.ts';
import { count } from '@slipway/ui/format/count.ts';
import { refresh } from '#entities/changes/refresh.ts';
import { paths } from '#entities/paths.ts';
import { useWrite } from '#kit/api/write.ts';
import { confirmAction } from '#kit/confirm/confirm-action.ts';
import { toastError } from '#kit/error/toast-error.ts';
import { reasonOf } from '#kit/error/messages.ts';
import type { RegistryPlace } from '#features/registry/use-registry.ts';

const namesShown = 3;

export function DeleteProject({ place, registry, team }: { place: RegistryPlace; registry: ContainerRegistry; team: string }) {
  const remove = useWrite(containerRegistryDelete);
  const { project, repositoryCount, storage, usedBy, can } = registry;
  const reason = registry.state === 'ACTIVE' ? reasonOf(can, 'delete', { team }) : 'Wait until the last change is applied';
  const ask = (): void =>
    confirmAction({
      title: `Delete the registry project ${project}?`,
      description: 'This cannot be undone.',
      consequences: [
        `${count(repositoryCount, 'repository', 'repositories')} with ${bytes(storage.usedBytes)} of images are gone for good`,
        'Robot accounts and webhooks of the project end',
      ],
      confirmWord: project,
      confirmLabel: 'Delete project',
      busyLabel: 'Deleting',
      run: async () => {
        try {
          await remove.send({ params: { ...place } });
        } catch (error) {
          toastError('Failed to delete project', error);
          throw error;
        }
        await refresh({ kind: 'containerRegistry', app: place.app });
      },
    });
  return (
    <FormGroup title="Delete project" id="delete">
      <FormRow
        help={
          usedBy.length === 0 ? (
            'No service uses it. All its images go with it, and cannot be brought back.'
          ) : (
            <>
              {count(usedBy.length, 'service')} {usedBy.length === 1 ? 'has' : 'have'} images of it:{' '}
              {usedBy.slice(0, namesShown).map(({ environment, service }, index) => (
                <span key={`${environment}/${service}`}>
                  {index > 0 && ', '}
                  <Link className="in" href={paths.service({ app: place.app, env: environment, service })}>
                    {service}
                  </Link>{' '}
                  in {environment}
                </span>
              ))}
              {usedBy.length > namesShown && ` and ${usedBy.length - namesShown} more`}. Delete them first, or point them to another
              registry.
            </>
          )
        }
      >
        <div className="row">
          <Button variant="danger" onClick={ask} disabledReason={reason} reasonPlacement="below">
            Delete project
          </Button>
        </div>
      </FormRow>
    </FormGroup>
  );
}
