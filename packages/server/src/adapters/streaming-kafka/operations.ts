/** All operations on a cluster. Importing this module loads the Kafka client, so it is imported on first use. */
export { KafkaCluster } from './cluster.ts';
export { deleteGroup, listGroups } from './groups/groups.ts';
export { groupsOfTopic } from './groups/topic-groups.ts';
export { browseMessages, readOneMessage } from './messages/browse.ts';
export { produceMessage } from './messages/produce.ts';
export { tailMessages } from './messages/tail.ts';
export { measureTopics } from './offsets.ts';
export { steadily } from './patience.ts';
export { changeRights, listRules, mayAccess, removeRulesOfTopic, setRights } from './rules.ts';
export { surveyTopics } from './survey.ts';
export { alterTopic, createTopic, deleteTopic, listTopics, observeTopics } from './topics.ts';
export { canSignIn, closeUser, listUsers, openUser } from './users.ts';
