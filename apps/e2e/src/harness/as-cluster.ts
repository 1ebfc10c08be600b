/** Has the product started as services on Kafka instead of as one process. */
process.env['FLORIN_COMPOSITION'] = 'cluster';
