/** Target of the copy and the image to deploy, followed by the comparison and the review button. */
import { serviceTagList, type Service } from '@slipway/contract/service/service.ts';
import { Notice } from '@slipway/ui/feedback/Notice.tsx';
import { RelativeTime } from '@slipway/ui/text/RelativeTime.tsx';
import { bytes } from '@slipway/ui/format/bytes.ts';
import type { ReactNode } from 'react';
import { useQuery } from '#kit/api/query.ts';
import { ComboboxField } from '#kit/form/ChoiceFields.tsx';
import { EnvironmentField } from '#entities/service/EnvironmentField.tsx';
import { PageForm } from '#kit/form/PageForm.tsx';
import { toName } from '#entities/service/NameHint.tsx';
import { TextField } from '#kit/form/TextField.tsx';
import type { ApiForm } from '#kit/form/use-api-form.ts';
import { paths, type ServiceRef } from '#entities/paths.ts';
import css from './CopyForm.module.css';
import type { Comparison } from './use-comparison.ts';
import type { CopyValues } from './use-copy-form.ts';

interface CopyFormProps {
  form: ApiForm<CopyValues>;
  place: ServiceRef;
  source: Service;
  comparison: Comparison;
  /** True if source and target are the same service. */
  isItself: boolean;
  children: ReactNode;
}

const nameHint = (place: ServiceRef, { existing }: Comparison, isItself: boolean): string => {
  if (isItself) return 'That is this service itself. Choose another name, or the other environment.';
  if (existing === undefined) return `Starts with ${place.app}.`;
  return existing ? 'It is there already: it will be changed.' : 'Free: a new service will be created.';
};

export function CopyForm({ form, place, source, comparison, isItself, children }: CopyFormProps) {
  const { existing } = comparison;
  return (
    <PageForm form={form} label="Copy service" hasGuard={false} submitLabel="Review" busyLabel="Looking" cancelHref={paths.service(place)}>
      <div className={css.fields}>
        <EnvironmentField form={form} name="environment" />
        <TextField
          form={form}
          name="name"
          spellCheck={false}
          autoCapitalize="off"
          normalise={toName}
          hint={nameHint(place, comparison, isItself)}
        />
        <TagField form={form} place={place} source={source} />
      </div>
      {existing && (
        <Notice tone="warn">
          <strong>
            {existing.name} is there already in {existing.environment}.
          </strong>{' '}
          {existing.status.serving ? `Revision ${existing.status.serving} serves there. ` : 'Nothing runs there yet. '}
          Only the lines that are ticked below change.
        </Notice>
      )}
      {children}
    </PageForm>
  );
}

function TagField({ form, place, source }: Pick<CopyFormProps, 'form' | 'place' | 'source'>) {
  const tags = useQuery(serviceTagList, { params: { ...place } }, { pollMs: 0 });
  const serving = source.status.imageTag;
  return (
    <ComboboxField
      form={form}
      name="imageTag"
      labelNote="optional"
      isMono
      searchLabel="Search image tags"
      placeholder="Deploy nothing yet"
      emptyText="The repository has no image yet"
      isLoading={tags.isLoading}
      options={[
        { value: '', label: 'Deploy nothing yet' },
        ...(tags.data ?? []).map(({ tag, sizeBytes, pushedAt, isServing }) => ({
          value: tag,
          label: tag,
          note: (
            <>
              {isServing && '▲ serving here · '}
              {bytes(sizeBytes)} · <RelativeTime at={pushedAt} isShort />
            </>
          ),
        })),
      ]}
      hint={
        tags.error && !tags.data ? (
          'The tags could not be loaded. Without one the settings alone are copied.'
        ) : serving ? (
          <>
            Here runs <code>{serving}</code>.
          </>
        ) : (
          'Without one the settings alone are copied.'
        )
      }
    />
  );
}
