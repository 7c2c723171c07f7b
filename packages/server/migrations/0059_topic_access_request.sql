-- Requests for topic access, made from the grants that a person had or has to decide. Grants stay as they are. A grant that was revoked or
-- given up after its approval no longer tells who approved it, so its request has no author and no date of the decision.
insert into request (kind, subject_kind, subject_id, title, environment, requested_at, requested_by, requested_by_name, comment, deciders, askers,
  status, actioned_at, actioned_by, actioned_by_name, action_comment, payload, due_on)
select 'TOPIC_ACCESS', 'topicGrant', topic_grant.id,
  account.app_id || case topic_grant.operation when 'READ' then ' reads ' else ' writes ' end || topic.topic_name,
  account.environment, topic_grant.requested_at, topic_grant.requested_by, topic_grant.requested_by_name, topic_grant.reason,
  array['app:' || topic.app_id], array['person:' || topic_grant.requested_by, 'app:' || account.app_id],
  outcome.status,
  case when outcome.is_known then topic_grant.decided_at end, case when outcome.is_known then topic_grant.decided_by end,
  case when outcome.is_known then topic_grant.decided_by_name end, case when outcome.is_known then topic_grant.decision end,
  jsonb_build_object('operation', topic_grant.operation, 'environment', account.environment,
    'account', jsonb_build_object('app', account.app_id, 'name', account.name, 'user', account.principal),
    'topic', jsonb_build_object('app', topic.app_id, 'name', topic.name, 'topicName', topic.topic_name)),
  working_days_after(topic_grant.requested_at::date, 5)
from topic_grant join account on account.id = topic_grant.account_id join topic on topic.id = topic_grant.topic_id
cross join lateral (select
  case
    when topic_grant.state = 'REQUESTED' then 'PENDING'
    when topic_grant.state = 'DECLINED' then 'REJECTED'
    when topic_grant.basis = 'DECISION' then 'APPROVED'
    else 'WITHDRAWN' end as status,
  topic_grant.state in ('APPROVED', 'DECLINED') or topic_grant.basis is null as is_known) as outcome
where (topic_grant.state = 'REQUESTED' and topic_grant.is_listed)
  or topic_grant.state = 'DECLINED'
  or (topic_grant.state = 'WITHDRAWN' and topic_grant.basis is null)
  or topic_grant.basis = 'DECISION'
order by topic_grant.requested_at, topic_grant.id;
