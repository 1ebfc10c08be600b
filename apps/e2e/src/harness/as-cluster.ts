/** The specs of this Jest project run against Florin as services on Kafka. */
process.env['FLORIN_COMPOSITION'] = 'cluster';
