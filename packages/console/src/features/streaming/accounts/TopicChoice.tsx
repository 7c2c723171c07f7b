/** The choice of a topic. Shows the owner beside each name. */
import type { FieldPath, FieldValues } from 'react-hook-form';
import type { ReactNode } from 'react';
import { ComboboxField } from '#kit/form/ChoiceFields.tsx';
import type { ApiForm } from '#kit/form/use-api-form.ts';
import type { OfferedTopics } from './offered-topics.ts';

export interface TopicChoiceProps<Values extends FieldValues> {
  form: ApiForm<Values>;
  name: FieldPath<Values>;
  offered: OfferedTopics;
  /** App of the account. */
  app: string;
  hint?: ReactNode;
}

export function TopicChoice<Values extends FieldValues>({ form, name, offered, app, hint }: TopicChoiceProps<Values>) {
  return (
    <ComboboxField
      form={form}
      name={name}
      hint={hint}
      options={offered.found.map(({ id, name: topic, applicationCode, topicName }) => ({
        value: id,
        label: applicationCode === app ? topic : topicName,
        note: applicationCode === app ? 'this app' : applicationCode,
      }))}
      onSearch={offered.search}
      isLoading={offered.isLoading}
      searchLabel="Search topics"
      emptyText="No topic fits"
      placeholder="Choose a topic"
    />
  );
}
