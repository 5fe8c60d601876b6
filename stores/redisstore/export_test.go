package redisstore

// Rights are what an error tells an operator to allow.
const Rights = rights
