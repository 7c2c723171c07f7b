/** The choice of a template: the kind of program and its contents. */
import { quickstartTemplateList, type Template } from '@slipway/contract/quickstart.ts';
import { Button } from '@slipway/ui/form/Button.tsx';
import { Notice } from '@slipway/ui/feedback/Notice.tsx';
import { Skeleton } from '@slipway/ui/feedback/Skeleton.tsx';
import { Loading } from '@slipway/ui/feedback/Loading.tsx';
import type { FieldPath, FieldValues } from 'react-hook-form';
import { useQuery, type QueryResult } from '#kit/api/query.ts';
import { RadioCardsField } from '#kit/form/ChoiceFields.tsx';
import type { ApiForm } from '#kit/form/use-api-form.ts';

export const useTemplates = (): QueryResult<typeof quickstartTemplateList> => useQuery(quickstartTemplateList, {}, { pollMs: 0 });

/** "JSON API, OpenAPI 3.1 document, tests". */
export const templateLabel = (template: Template | undefined): string =>
  template
    ? `${template.displayName}: ${template.features.map((word, index) => (index === 0 ? word : lower(word))).join(', ')}`
    : 'From the template';
const lower = (word: string): string => (/^[A-Z][a-z]*(\s|$)/.test(word) ? word.charAt(0).toLowerCase() + word.slice(1) : word);

export function TemplateField<Values extends FieldValues>({ form, name }: { form: ApiForm<Values>; name: FieldPath<Values> }) {
  const { data, error, mutate } = useTemplates();
  if (error && !data) {
    return (
      <Notice
        tone="bad"
        actions={
          <Button size="sm" onClick={() => void mutate()}>
            Try now
          </Button>
        }
      >
        The templates could not be loaded. We try again every 4 seconds.
      </Notice>
    );
  }
  return (
    <Loading isLoading={!data} label="Loading templates" skeleton={<TemplateSkeleton />}>
      <RadioCardsField
        form={form}
        name={name}
        options={data?.map(({ id, displayName, description }) => ({ value: id, label: displayName, tag: id, note: description })) ?? []}
      />
    </Loading>
  );
}

function TemplateSkeleton() {
  return (
    <div className="stack stack-8">
      <Skeleton width={80} height={22} />
      {[0, 1, 2].map((index) => (
        <Skeleton key={index} height={80} />
      ))}
    </div>
  );
}
